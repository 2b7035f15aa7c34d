namespace Optiks.Client;

/// <summary>The latest version of a chain, as any verified answer showed it last (docs/spec/state.md section 1).</summary>
public sealed record Seen
{
    /// <summary>The least epoch that the client accepts for the chain: the last epoch for which an answer showed it.</summary>
    public required ulong LeastEpoch { get; init; }

    /// <summary>The latest version at that epoch.</summary>
    public required Cursor At { get; init; }

    /// <summary>The epoch of the version's leaf; 0 if there is no version.</summary>
    public ulong PublishedEpoch { get; init; }

    /// <summary>
    /// Whether the client knew a version of an earlier period, and this period did not begin with a copy of that version
    /// (docs/spec/periods.md section 6). This stays set as long as the period lasts.
    /// </summary>
    public bool NotCopied { get; init; }
}
