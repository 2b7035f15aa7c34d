namespace Optiks.Client;

/// <summary>A device with its new value.</summary>
/// <param name="Device">Its id.</param>
/// <param name="Value">The value.</param>
public readonly record struct UserDeviceValue(ReadOnlyMemory<byte> Device, ReadOnlyMemory<byte> Value);
