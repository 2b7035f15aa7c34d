namespace Optiks.Client;

/// <summary>The verified versions of a device's key, in order.</summary>
/// <param name="Device">Id of the device.</param>
/// <param name="Versions">The versions, in order.</param>
public sealed record UserDeviceVersions(ReadOnlyMemory<byte> Device, IReadOnlyList<KeyVersion> Versions);
