namespace Optiks.Client;

/// <summary>
/// Everything that a client remembers of the versions of one key: a key with values of its own, or a user's device list. It has two
/// cursors, which may be in different periods.
/// </summary>
public sealed record Chain
{
    /// <summary>The latest version that any verified answer showed; null if no answer showed the chain yet.</summary>
    public Seen? Seen { get; init; }

    /// <summary>The owner's part; null if this client does not own the chain.</summary>
    public Own? Own { get; init; }
}
