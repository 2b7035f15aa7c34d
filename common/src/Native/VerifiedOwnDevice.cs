namespace Optiks.Native;

/// <summary>Holds the proven versions of the key of one followed device id.</summary>
/// <param name="Device">The device id.</param>
/// <param name="Key">The versions of the device's key; version 0 means that the device has no key.</param>
public sealed record VerifiedOwnDevice(ReadOnlyMemory<byte> Device, VerifiedVersions Key);
