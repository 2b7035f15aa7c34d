namespace Optiks.Client;

/// <summary>One device on a user's list.</summary>
/// <param name="Device">Its id.</param>
/// <param name="Version">Version of its value; 0 if the device is on the list without a value.</param>
/// <param name="PublishedEpoch">Epoch that inserted the version; 0 for a copy made at a period's start, or without a version.</param>
/// <param name="Value">Value, exactly as it was set; null without a value.</param>
/// <param name="Unchanged">No version is newer than the one that this client verified last: the value is the remembered one.</param>
public sealed record UserDevice(ReadOnlyMemory<byte> Device, ulong Version, ulong PublishedEpoch, ReadOnlyMemory<byte>? Value, bool Unchanged);
