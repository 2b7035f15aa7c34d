using System.Diagnostics.CodeAnalysis;

namespace Optiks.Tlog;

/// <summary>
/// Says which logs and witnesses are known, and which witnesses' cosignatures are enough (C2SP tlog-policy; docs/spec/board.md section 7).
/// Immutable, thread-safe.
/// </summary>
public sealed class TlogPolicy
{
    /// <summary>The longest policy that is read, in bytes.</summary>
    public const int MaxBytes = 64 * 1024;

    private readonly PolicyRule? _quorum;

    internal TlogPolicy(IReadOnlyList<PolicyLog> logs, IReadOnlyList<PolicyWitness> witnesses, PolicyRule? quorum)
    {
        Logs = logs;
        Witnesses = witnesses;
        _quorum = quorum;
    }

    /// <summary>The logs whose checkpoints are accepted; empty if the reader knows its log from elsewhere.</summary>
    public IReadOnlyList<PolicyLog> Logs { get; }

    /// <summary>The witnesses, whether the quorum counts them or not.</summary>
    public IReadOnlyList<PolicyWitness> Witnesses { get; }

    /// <summary>Whether the policy has the line <c>quorum none</c>: a checkpoint needs no cosignature.</summary>
    public bool RequiresNone => _quorum is null;

    /// <summary>
    /// Parses a whole policy. If the policy is refused, <paramref name="line"/> is the number of the line at fault, counted from 1, or 0 if
    /// the text as a whole is at fault.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<byte> text, [NotNullWhen(true)] out TlogPolicy? policy, out TlogError error, out int line)
    {
        var parser = new PolicyParser();
        error = parser.Parse(text, out policy);
        line = policy is null ? parser.Line : 0;
        return error == TlogError.None;
    }

    /// <summary>
    /// Returns a verifier that opens the checkpoints of a log and knows all witnesses. Throws <see cref="ArgumentException"/> if the log's
    /// key is also a witness's key.
    /// </summary>
    public CheckpointVerifier Verifier(VerifierKey logKey, IEd25519Verifier ed25519) => new(logKey, [.. Witnesses.Select(witness => witness.Key)], ed25519);

    /// <summary>Returns whether the cosignatures of these witnesses are enough. Other witnesses do not count.</summary>
    public bool IsMetBy(IReadOnlySet<VerifierKey> witnesses)
    {
        ArgumentNullException.ThrowIfNull(witnesses);
        return _quorum is null || _quorum.IsMet(witnesses);
    }

    /// <summary>
    /// Counts verified cosignatures. A witness counts once, however many cosignatures it made. A signer that is not a witness of the
    /// policy, such as the log, never counts. A cosignature whose time is ahead of the clock by more than the tolerance does not count
    /// either.
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
