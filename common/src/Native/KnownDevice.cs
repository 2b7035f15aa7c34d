namespace Optiks.Native;

/// <summary>Holds a verifier's stored state of a device's key.</summary>
/// <param name="Device">The device id, 1..255 bytes.</param>
/// <param name="Key">The known state of the device's key. The <see cref="KnownKey.LeastEpoch"/> of this state is at most the least epoch of
/// the question that contains it.</param>
public readonly record struct KnownDevice(ReadOnlyMemory<byte> Device, KnownKey Key);
