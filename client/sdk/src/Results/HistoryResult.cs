namespace Optiks.Client;

/// <summary>HistoryResult is every version of a key in the current period, complete and in order, or why the answer is refused.</summary>
public sealed record HistoryResult : VerifiedAnswer
{
    internal HistoryResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>Key that was asked for.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>Versions 1, 2, ... ; empty when the key is proven absent or the answer is not valid.</summary>
    public IReadOnlyList<KeyVersion> Versions { get; init; } = [];
}
