namespace Optiks.Client;

/// <summary>UserDevice is one device on a user's list.</summary>
/// <param name="Device">Its id.</param>
/// <param name="Version">Version of its value; 0: the device is on the list without one.</param>
/// <param name="PublishedEpoch">Epoch that inserted the version; 0 for a copy made at a period's start, or when there is none.</param>
/// <param name="Value">Value, exactly as it was set; null when there is none.</param>
/// <param name="Unchanged">Nothing is newer than the version that this client verified last: the value is the remembered one.</param>
public sealed record UserDevice(ReadOnlyMemory<byte> Device, ulong Version, ulong PublishedEpoch, ReadOnlyMemory<byte>? Value, bool Unchanged);
