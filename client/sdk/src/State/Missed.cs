namespace Optiks.Client;

/// <summary>
/// Says that nobody can find out any more what the log showed of an owner's chain in the last epochs of a period (docs/spec/periods.md
/// section 7). The state keeps this entry for good.
/// </summary>
/// <param name="Period">The period, which ended and is no longer served.</param>
/// <param name="FromEpoch">First epoch that the owner did not verify.</param>
/// <param name="ToEpoch">Last epoch of the period.</param>
/// <param name="IsAccepted">Whether the owner confirmed that it knows of these epochs.</param>
public sealed record Missed(ulong Period, ulong FromEpoch, ulong ToEpoch, bool IsAccepted = false);
