namespace Optiks.Client;

/// <summary>Every version of a key in the current period, complete and in order, or the reason why the client refused the answer.</summary>
public sealed record HistoryResult : VerifiedAnswer
{
    internal HistoryResult(Outcome outcome)
        : base(outcome)
    {
    }

    /// <summary>The requested key.</summary>
    public required ReadOnlyMemory<byte> Key { get; init; }

    /// <summary>The versions 1, 2, ... of the key; empty when the key is proven absent or the answer is not valid.</summary>
    public IReadOnlyList<KeyVersion> Versions { get; init; } = [];
}
