using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// A version of an owner's key that the owner did not set here, or that is not the copy of the key's value at the end of the previous
/// period. The alarm stays until it is acknowledged.
/// </summary>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Version, 1, 2, ...; 0 if the copy is missing.</param>
/// <param name="Epoch">Epoch that inserted it, 0 for a copy; without a version the epoch at which that was seen.</param>
/// <param name="ValueSha256">SHA-256 of its value in hexadecimal; null when the value was erased, so that nobody can tell what it
/// was.</param>
/// <param name="Handover">Why it is not the correct copy (docs/spec/periods.md section 6); null if the alarm is about a version that was
/// not set here.</param>
public sealed record OwnerAlarm(ulong Period, ulong Version, ulong Epoch, string? ValueSha256 = null, Reason? Handover = null);
