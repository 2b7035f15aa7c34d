using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>Holds the epochs up to which an auditor has verified a log.</summary>
public sealed record AuditState
{
    /// <summary>The log's id in base64url.</summary>
    public required string LogId { get; init; }

    /// <summary>
    /// The epoch at which coverage begins. The auditor took the record of this epoch on trust, except for epoch 0, whose trees are empty.
    /// </summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>
    /// Switches of the period among the verified epochs (docs/spec/periods.md section 3). At a switch, the trees of devices and keys begin
    /// anew, and the auditor does not compare the new trees with the old trees. So the coverage of these two trees ends and begins anew at
    /// each switch.
    /// </summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The head that the auditor verified last: the checkpoint, and the record of the last verified epoch.</summary>
    public required HeadState Head { get; init; }

    /// <summary>The fork that the auditor found; null if it found no fork.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>The breach of the rules of records that the auditor found; null if it found no breach.</summary>
    public BreachState? Breach { get; init; }
}
