namespace Optiks.Native;

/// <summary>Holds an owner's knowledge of a key at the last epoch of a period (docs/spec/periods.md section 6).</summary>
/// <param name="Period">The period that ended.</param>
/// <param name="LastEpoch">The period's last epoch, F.</param>
/// <param name="Version">The key's latest version at that epoch; 0 if the key had no version.</param>
/// <param name="ValueSha256">SHA-256 of the value of the key's latest version; empty if the key had no version.</param>
public sealed record EndState(ulong Period, ulong LastEpoch, ulong Version, ReadOnlyMemory<byte> ValueSha256);
