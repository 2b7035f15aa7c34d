using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>OwnerAlarm is a version of an owner's key that the owner did not set here, or that is not the copy of what the key had when the period before ended. It stays until it is acknowledged.</summary>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Version, 1, 2, ...; 0: there is no copy.</param>
/// <param name="Epoch">Epoch that inserted it, 0 for what stands as a copy; without a version the one at which that was seen.</param>
/// <param name="ValueSha256">SHA-256 of its value in hexadecimal; null when the value was erased, so that nobody can tell what it was.</param>
/// <param name="Handover">Why it is not the copy that it ought to be (docs/spec/periods.md section 6); null: it is about a version that was not set.</param>
public sealed record OwnerAlarm(ulong Period, ulong Version, ulong Epoch, string? ValueSha256 = null, Reason? Handover = null);
