namespace Optiks.Protocol;

/// <summary>Says whose audits a client requires, and how many are enough (docs/spec/cosigners.md section 2). Immutable.</summary>
/// <param name="Required">The number of auditors that must cover an epoch: k of n.</param>
/// <param name="MaxLag">The time after which an accepted answer that is still not covered raises an alarm.</param>
/// <param name="Auditors">All n auditors.</param>
public sealed record AuditorPolicy(int Required, TimeSpan MaxLag, IReadOnlyList<TrustedAuditor> Auditors);
