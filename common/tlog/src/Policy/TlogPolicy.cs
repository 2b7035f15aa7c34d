using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>
/// TlogPolicy says which logs and witnesses are known, and which witnesses' cosignatures are enough (C2SP tlog-policy; docs/spec/board.md section 7). Immutable, thread-safe.
/// </summary>
public sealed class TlogPolicy
{
    /// <summary>Longest policy that is read, in bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    private readonly PolicyRule? _quorum;

    internal TlogPolicy(IReadOnlyList<PolicyLog> logs, IReadOnlyList<PolicyWitness> witnesses, PolicyRule? quorum)
    {
        Logs = logs;
        Witnesses = witnesses;
        _quorum = quorum;
    }

    /// <summary>Logs whose checkpoints are taken; none where the reader knows its log from elsewhere.</summary>
    public IReadOnlyList<PolicyLog> Logs { get; }

    /// <summary>Witnesses, whether the quorum counts them or not.</summary>
    public IReadOnlyList<PolicyWitness> Witnesses { get; }

    /// <summary>RequiresNone says that the policy has the line <c>quorum none</c>: a checkpoint needs no cosignature.</summary>
    public bool RequiresNone => _quorum is null;

    /// <summary>TryParse reads a whole policy. Of one that is refused, <paramref name="line"/> is the line at fault, from 1; 0: the text as a whole.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out TlogPolicy? policy, out TlogError error, out int line)
    {
        var parser = new PolicyParser();
        error = parser.Parse(text, out policy);
        line = policy is null ? parser.Line : 0;
        return error == TlogError.None;
    }

    /// <summary>Verifier opens the checkpoints of a log with all witnesses known. Throws <see cref="ArgumentException"/> for a log whose key is a witness's.</summary>
    public CheckpointVerifier Verifier(VerifierKey logKey, IEd25519Verifier ed25519) => new(logKey, [.. Witnesses.Select(witness => witness.Key)], ed25519);

    /// <summary>IsMetBy says whether the cosignatures of these witnesses are enough. Others are not counted.</summary>
    public bool IsMetBy(IReadOnlySet<VerifierKey> witnesses)
    {
        ArgumentNullException.ThrowIfNull(witnesses);
        return _quorum is null || _quorum.IsMet(witnesses);
    }

    /// <summary>
    /// Evaluate counts verified cosignatures. A witness counts once, however many it made; who is no witness of the policy, such as the log, never counts, and neither does a cosignature
    /// whose time is further ahead of the clock than is tolerated.
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
        VerifiedSignature[] counted = [.. Witnesses.Where(witness => latest.ContainsKey(witness.Key)).Select(witness => latest[witness.Key])];
        return new PolicyVerdict(IsMetBy(counted.Select(cosignature => cosignature.Key).ToHashSet()), counted);
    }
}
