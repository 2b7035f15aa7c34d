namespace Optiks.Cli.Inspecting;

/// <summary>JudgedKey is what a valid answer proves of one key.</summary>
/// <param name="Key">The key, username or user id.</param>
/// <param name="Verdict">Verdict on it.</param>
/// <param name="Version">Latest version that the answer shows, 0: proven to be none; null: it shows none, and there may be some.</param>
/// <param name="Value">Value of a lookup.</param>
internal sealed record JudgedKey(ReadOnlyMemory<byte> Key, string Verdict, ulong? Version, ReadOnlyMemory<byte>? Value)
{
    /// <summary>Epoch at which all of it holds, of an answer out of several epochs; null: that of the head.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>Time of the record of that epoch.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>User that it is about, of an answer about users; null: it is about a key.</summary>
    public JudgedUser? User { get; init; }
}
