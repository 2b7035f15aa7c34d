namespace Optiks.Native;

/// <summary>KnownDevice is what a verifier keeps of a device's key.</summary>
/// <param name="Device">Device id, 1..255 octets.</param>
/// <param name="Key">What is known; its least epoch is part of the user's.</param>
public readonly record struct KnownDevice(ReadOnlyMemory<byte> Device, KnownKey Key);
