namespace Optiks.Client;

/// <summary>UserDeviceValue is a device with the value that it is to have.</summary>
/// <param name="Device">Its id.</param>
/// <param name="Value">The value.</param>
public readonly record struct UserDeviceValue(ReadOnlyMemory<byte> Device, ReadOnlyMemory<byte> Value);
