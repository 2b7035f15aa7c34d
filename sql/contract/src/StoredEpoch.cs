namespace Optiks.Storage;

/// <summary>An epoch's row as it is stored.</summary>
/// <param name="Row">Number, record, hash and checkpoint.</param>
/// <param name="Leaves">How many leaves the row says that the epoch inserted.</param>
/// <param name="ValueBytes">Octets of their values when they were inserted; erasing values does not change it.</param>
public sealed record StoredEpoch(EpochRow Row, long Leaves, long ValueBytes);
