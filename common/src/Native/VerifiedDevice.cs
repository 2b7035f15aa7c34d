namespace Optiks.Native;

/// <summary>Holds the accepted answer for one device of a user.</summary>
/// <param name="Device">The device id.</param>
/// <param name="RecordEpoch">The epoch n at which the answer showed the absence of the next version of the device's key. Clients store n
/// with the version.</param>
/// <param name="Key">The device's key; version 0 means that the device has no key.</param>
public readonly record struct VerifiedDevice(ReadOnlyMemory<byte> Device, ulong RecordEpoch, VerifiedLookup Key);
