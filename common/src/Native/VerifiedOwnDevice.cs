namespace Optiks.Native;

/// <summary>VerifiedOwnDevice is what an owner was shown of one followed id.</summary>
/// <param name="Device">Device id.</param>
/// <param name="Key">Versions of its key; version 0: it has none.</param>
public sealed record VerifiedOwnDevice(ReadOnlyMemory<byte> Device, VerifiedVersions Key);
