namespace Optiks.Native;

/// <summary>EndState is what an owner knows of a key at the last epoch of a period (docs/spec/periods.md section 6).</summary>
/// <param name="Period">The period that ended.</param>
/// <param name="LastEpoch">Its last epoch, F.</param>
/// <param name="Version">The key's latest version then; 0: it had none.</param>
/// <param name="ValueSha256">SHA-256 of that version's value; empty when there is none.</param>
public sealed record EndState(ulong Period, ulong LastEpoch, ulong Version, ReadOnlyMemory<byte> ValueSha256);
