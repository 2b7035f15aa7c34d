using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says which log an auditor follows, and how.</summary>
public sealed record AuditorOptions
{
    /// <summary>The log's trust anchor.</summary>
    public required TrustAnchor TrustAnchor { get; init; }

    /// <summary>
    /// The URLs of one or more query-services that serve the proofs and the board. When a query-service does not answer or is behind, the
    /// auditor asks the next.
    /// </summary>
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    /// <summary>The auditor's state folder, which no client may share.</summary>
    public required string StateFolder { get; init; }

    /// <summary>
    /// The first epoch of a new auditor. The auditor takes the record of this epoch on trust unless the epoch is 0. An auditor with an
    /// existing state ignores this option and continues from that state.
    /// </summary>
    public ulong FirstEpoch { get; init; }

    /// <summary>The most epochs that the auditor requests in one proof: 1 to <see cref="AuditProof.MaxEpochs"/>.</summary>
    public int MaxRange { get; init; } = AuditProof.MaxEpochs;

    /// <summary>
    /// The time limit for a whole answer, headers and body. An answer may take longer, up to ten
    /// times this limit, only while it arrives at 16 KiB a second or more.
    /// </summary>
    /// <value>The default is 60 seconds.</value>
    public TimeSpan AnswerWithin { get; init; } = OptiksClientOptions.DefaultAnswerWithin;

    /// <summary>The time that the auditor waits for another process to release the state folder.</summary>
    public TimeSpan LockWait { get; init; } = TimeSpan.FromSeconds(5);
}
