namespace Optiks.QueryService.Cosigners;

/// <summary>The answer that returns cosigned checkpoints.</summary>
/// <param name="Body">The JSON body.</param>
/// <param name="Tag">The entity tag, without quotes.</param>
internal sealed record CosignaturesAnswer(ReadOnlyMemory<byte> Body, string Tag);
