namespace Optiks.Client;

/// <summary>One device on a user's list.</summary>
/// <param name="Device">Id of the device.</param>
/// <param name="Version">Version of the device's value; 0 if the device is on the list without a value.</param>
/// <param name="PublishedEpoch">Epoch that inserted the version; 0 for a copy made at a period's start, or for a device without a
/// value.</param>
/// <param name="Value">Value, exactly as it was set; null for a device without a value.</param>
/// <param name="Unchanged">Whether the latest version is the version that this client verified last, so that the value is the remembered
/// value.</param>
public sealed record UserDevice(
    ReadOnlyMemory<byte> Device, ulong Version, ulong PublishedEpoch, ReadOnlyMemory<byte>? Value, bool Unchanged);
