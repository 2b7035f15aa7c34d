namespace Optiks.Protocol;

/// <summary>Names a version of a device's key that a client verified.</summary>
/// <param name="Device">Device id, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Version">1 or more.</param>
public readonly record struct KnownDeviceKey(ReadOnlyMemory<byte> Device, ulong Version);
