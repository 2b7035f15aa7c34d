namespace Optiks.Client;

/// <summary>A device with its new value.</summary>
/// <param name="Device">Id of the device.</param>
/// <param name="Value">Value of the device's key.</param>
public readonly record struct UserDeviceValue(ReadOnlyMemory<byte> Device, ReadOnlyMemory<byte> Value);
