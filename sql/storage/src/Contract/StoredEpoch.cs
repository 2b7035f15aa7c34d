namespace Optiks.Storage;

/// <summary>An epoch's row as it is stored.</summary>
/// <param name="Row">The epoch's number, record, record hash and checkpoint.</param>
/// <param name="Leaves">The number of leaves that the epoch inserted, according to the row.</param>
/// <param name="ValueBytes">The number of bytes of the leaves' values when they were inserted; erasing values does not change this
/// number.</param>
public sealed record StoredEpoch(EpochRow Row, long Leaves, long ValueBytes);
