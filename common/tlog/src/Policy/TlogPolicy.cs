using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>
/// Holds a policy: which logs and witnesses are known, and which sets of witnesses are enough to cosign a checkpoint (C2SP tlog-policy;
/// docs/spec/board.md section 7). Immutable, so that any thread may use it.
/// </summary>
public sealed class TlogPolicy
{
    /// <summary>The greatest length of a policy that this class accepts, in bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    private readonly PolicyRule? _quorum;

    internal TlogPolicy(IReadOnlyList<PolicyLog> logs, IReadOnlyList<PolicyWitness> witnesses, PolicyRule? quorum)
    {
        Logs = logs;
        Witnesses = witnesses;
        _quorum = quorum;
    }

    /// <summary>The logs whose checkpoints the policy accepts. The list is empty if the policy names no log, and then the reader must know
    /// its log from elsewhere.</summary>
    public IReadOnlyList<PolicyLog> Logs { get; }

    /// <summary>All witnesses of the policy, even witnesses that the quorum does not count.</summary>
    public IReadOnlyList<PolicyWitness> Witnesses { get; }

    /// <summary>Whether the policy has the line <c>quorum none</c>, so that a checkpoint needs no cosignature.</summary>
    public bool RequiresNone => _quorum is null;

    /// <summary>
    /// Parses a policy. If the policy is refused, the parameter <paramref name="line"/> is the number of the invalid line, counted from 1,
    /// or 0 if the text as a whole is invalid.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out TlogPolicy? policy, out TlogError error, out int line)
    {
        var parser = new PolicyParser();
        error = parser.Parse(text, out policy);
        line = policy is null ? parser.Line : 0;
        return error == TlogError.None;
    }

    /// <summary>
    /// Returns a verifier for the checkpoints of a log, with the keys of all witnesses of the policy. Throws
    /// <see cref="ArgumentException"/> if the log's key is also a witness's key.
    /// </summary>
    public CheckpointVerifier Verifier(VerifierKey logKey, IEd25519Verifier ed25519) =>
        new(logKey, [.. Witnesses.Select(witness => witness.Key)], ed25519);

    /// <summary>Returns whether cosignatures by these keys meet the policy's quorum. Keys that do not belong to witnesses of the policy do
    /// not count.</summary>
    public bool IsMetBy(IReadOnlySet<VerifierKey> witnesses)
    {
        ArgumentNullException.ThrowIfNull(witnesses);
        return _quorum is null || _quorum.IsMet(witnesses);
    }

    /// <summary>
    /// Returns whether verified cosignatures meet the policy's quorum, and which of them count. Each witness counts only once. A signer
    /// that is not a witness of the policy, such as the log, never counts. A cosignature does not count if its time is ahead of the current
    /// time (<paramref name="now"/>) by more than the tolerance.
    /// </summary>
    public PolicyVerdict Evaluate(IEnumerable<VerifiedSignature> cosignatures, DateTimeOffset now, TimeSpan tolerance)
    {
        ArgumentNullException.ThrowIfNull(cosignatures);
        var latest = new Dictionary<VerifierKey, VerifiedSignature>();
        foreach (VerifiedSignature cosignature in cosignatures)
        {
            if (cosignature.Timestamp is { } time && !Cosignature.IsAhead(time, now, tolerance)
                && (!latest.TryGetValue(cosignature.Key, out VerifiedSignature? other) || other.Timestamp < time))
            {
                latest[cosignature.Key] = cosignature;
            }
        }
        VerifiedSignature[] counted =
            [.. Witnesses.Where(witness => latest.ContainsKey(witness.Key)).Select(witness => latest[witness.Key])];
        return new PolicyVerdict(IsMetBy(counted.Select(cosignature => cosignature.Key).ToHashSet()), counted);
    }
}
