using System.Collections.Immutable;

namespace Optiks.Client;

/// <summary>AuditState is how far an auditor has verified a log.</summary>
public sealed record AuditState
{
    /// <summary>LogId in base64url.</summary>
    public required string LogId { get; init; }

    /// <summary>FirstEpoch whose record was taken on trust; coverage is from there. With 0 nothing is: its trees are empty.</summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>
    /// Switches of the period among the epochs verified (docs/spec/periods.md section 3). What the trees of devices and keys held before such an epoch was not
    /// compared with what they hold from it on: coverage of these two ends and begins there.
    /// </summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Head verified last: the checkpoint, and the record of the last epoch verified.</summary>
    public required HeadState Head { get; init; }

    /// <summary>Fork that was found; null: none.</summary>
    public ForkState? Fork { get; init; }

    /// <summary>Breach of the rules of records that was found; null: none.</summary>
    public BreachState? Breach { get; init; }
}
