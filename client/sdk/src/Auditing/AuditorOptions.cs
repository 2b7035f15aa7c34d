using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>AuditorOptions says which log an auditor follows.</summary>
public sealed record AuditorOptions
{
    /// <summary>TrustAnchor of the log.</summary>
    public required TrustAnchor TrustAnchor { get; init; }

    /// <summary>QueryUrls of one or more query-services that serve the proofs and the board. When one gives no answer or is behind, the next is asked.</summary>
    public required IReadOnlyList<Uri> QueryUrls { get; init; }

    /// <summary>StateFolder of the auditor, apart from any client's.</summary>
    public required string StateFolder { get; init; }

    /// <summary>FirstEpoch of a new auditor: its record is taken on trust unless it is 0. An existing state goes on where it was.</summary>
    public ulong FirstEpoch { get; init; }

    /// <summary>MaxRange of epochs in one proof, 1 to <see cref="AuditProof.MaxEpochs"/>.</summary>
    public int MaxRange { get; init; } = AuditProof.MaxEpochs;

    /// <summary>AnswerWithin bounds a whole answer, headers and body: it may take this long, and longer only while it comes with 16 KiB a second.</summary>
    /// <value>60 seconds.</value>
    public TimeSpan AnswerWithin { get; init; } = OptiksClientOptions.DefaultAnswerWithin;

    /// <summary>LockWait for another process that uses the folder.</summary>
    public TimeSpan LockWait { get; init; } = TimeSpan.FromSeconds(5);
}
