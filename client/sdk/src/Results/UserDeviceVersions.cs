namespace Optiks.Client;

/// <summary>The verified versions of a device's key, in order.</summary>
/// <param name="Device">Its id.</param>
/// <param name="Versions">The versions.</param>
public sealed record UserDeviceVersions(ReadOnlyMemory<byte> Device, IReadOnlyList<KeyVersion> Versions);
