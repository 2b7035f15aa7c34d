namespace Optiks.Native;

/// <summary>Holds the proven versions of one followed id's key.</summary>
/// <param name="Device">Device id.</param>
/// <param name="Key">The versions of its key; version 0 means that it has no key.</param>
public sealed record VerifiedOwnDevice(ReadOnlyMemory<byte> Device, VerifiedVersions Key);
