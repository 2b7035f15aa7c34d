namespace Optiks.Cli.Inspecting;

/// <summary>JudgedKey is what a valid answer proves of one key.</summary>
internal sealed record JudgedKey(ReadOnlyMemory<byte> Key, string Verdict, ulong Version, ReadOnlyMemory<byte>? Value);
