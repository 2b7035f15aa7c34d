using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>Holds how far an auditor has verified a log.</summary>
public sealed record AuditState
{
    /// <summary>The log's id in base64url.</summary>
    public required string LogId { get; init; }

    /// <summary>
    /// The epoch at which coverage begins; its record was taken on trust. Epoch 0 needs no trust, because its trees are empty.
    /// </summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>
    /// Switches of the period among the verified epochs (docs/spec/periods.md section 3). The auditor did not compare what the trees of
    /// devices and keys held before such an epoch with what they hold from it on. For these two trees coverage ends and begins anew there.
    /// </summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The head verified last: the checkpoint, and the record of the last epoch verified.</summary>
    public required HeadState Head { get; init; }

    /// <summary>The fork that was found; null if there was no fork.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>The breach of the rules of records that was found; null if there was no breach.</summary>
    public BreachState? Breach { get; init; }
}
