namespace Optiks.Cli.Inspecting;

/// <summary>JudgedKey is what a valid answer proves of one key.</summary>
internal sealed record JudgedKey(ReadOnlyMemory<byte> Key, string Verdict, ulong Version, ReadOnlyMemory<byte>? Value)
{
    /// <summary>User that it is about, of an answer about users; null: it is about a key.</summary>
    public JudgedUser? User { get; init; }
}
