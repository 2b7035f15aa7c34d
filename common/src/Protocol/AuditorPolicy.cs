namespace Optiks.Protocol;

/// <summary>Says which auditors a client relies on, and how many of them must cover an epoch (docs/spec/cosigners.md section 2).
/// Immutable.</summary>
/// <param name="Required">The number k of auditors, out of the n auditors of the policy, that must cover an epoch.</param>
/// <param name="MaxLag">The time after which the client raises an alarm if too few auditors cover an accepted answer.</param>
/// <param name="Auditors">All n auditors.</param>
public sealed record AuditorPolicy(int Required, TimeSpan MaxLag, IReadOnlyList<TrustedAuditor> Auditors);
