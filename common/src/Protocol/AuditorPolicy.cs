namespace Optiks.Protocol;

/// <summary>AuditorPolicy says whose audits a client counts on, and how many are enough (docs/spec/cosigners.md section 2). Immutable.</summary>
/// <param name="Required">So many of the auditors must cover an epoch: k of n.</param>
/// <param name="MaxLag">Once something was believed for longer than this and is not covered, there is an alarm.</param>
/// <param name="Auditors">All n of them.</param>
public sealed record AuditorPolicy(int Required, TimeSpan MaxLag, IReadOnlyList<TrustedAuditor> Auditors);
