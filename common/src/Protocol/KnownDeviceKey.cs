namespace Optiks.Protocol;

/// <summary>Names a version of a device's key that a client has verified.</summary>
/// <param name="Device">The device id, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> bytes.</param>
/// <param name="Version">The version's number, 1 or more.</param>
public readonly record struct KnownDeviceKey(ReadOnlyMemory<byte> Device, ulong Version);
