using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// An alarm about a version of an owner's chain: the owner did not set the version with this state, or the version is not the copy of the
/// chain's value at the end of the previous period. The alarm stays until the owner acknowledges it.
/// </summary>
/// <param name="Period">Period of the version.</param>
/// <param name="Version">Number of the version: 1, 2, ...; 0 if the copy is missing.</param>
/// <param name="Epoch">
/// Epoch that inserted the version, 0 for a copy. If the copy is missing, the epoch at which the owner saw that.
/// </param>
/// <param name="ValueSha256">
/// SHA-256 of the version's value in hexadecimal; null if the value was erased, because nobody can tell what an erased value was.
/// </param>
/// <param name="Handover">
/// The reason why the version is not the correct copy (docs/spec/periods.md section 6); null if the alarm is about a version that the owner
/// did not set with this state.
/// </param>
public sealed record Alarm(ulong Period, ulong Version, ulong Epoch, string? ValueSha256 = null, Reason? Handover = null);
