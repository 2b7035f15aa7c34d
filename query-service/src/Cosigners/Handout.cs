namespace Optiks.QueryService.Cosigners;

/// <summary>The answer that hands out cosigned checkpoints.</summary>
/// <param name="Body">JSON.</param>
/// <param name="Tag">Entity tag, without quotes.</param>
internal sealed record Handout(ReadOnlyMemory<byte> Body, string Tag);
