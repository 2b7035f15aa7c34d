namespace Optiks.Native;

/// <summary>VerifiedDevice is the accepted answer for one device of a user.</summary>
/// <param name="Device">Device id.</param>
/// <param name="RecordEpoch">n, the epoch at which its next version was shown absent: to be remembered with the version.</param>
/// <param name="Key">Its key; version 0: the device has none.</param>
public readonly record struct VerifiedDevice(ReadOnlyMemory<byte> Device, ulong RecordEpoch, VerifiedLookup Key);
