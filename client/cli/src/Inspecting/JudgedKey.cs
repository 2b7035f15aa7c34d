namespace Optiks.Cli.Inspecting;

/// <summary>The facts that a valid answer proves about one key.</summary>
/// <param name="Key">The key, username or user id.</param>
/// <param name="Verdict">Verdict on the key.</param>
/// <param name="Version">Latest version that the answer shows; 0 if it proves that no version exists; null if it shows no version but a
/// version may exist.</param>
/// <param name="Value">Value that a lookup shows; null in other answers.</param>
internal sealed record JudgedKey(ReadOnlyMemory<byte> Key, string Verdict, ulong? Version, ReadOnlyMemory<byte>? Value)
{
    /// <summary>The epoch at which all facts about the key are true, in an answer with several epochs; null for the head's epoch.</summary>
    public ulong? Epoch { get; init; }

    /// <summary>The time of the record of the epoch that the property <see cref="Epoch"/> names.</summary>
    public DateTimeOffset? Time { get; init; }

    /// <summary>The facts about the user, in an answer about users; null in other answers.</summary>
    public JudgedUser? User { get; init; }
}
