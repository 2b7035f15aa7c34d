namespace Optiks.QueryService.Cosigners;

/// <summary>Holds the answer with the cosigned checkpoints.</summary>
/// <param name="Body">The JSON body of the answer.</param>
/// <param name="Tag">The entity tag of the body, without quotes.</param>
internal sealed record CosignaturesAnswer(ReadOnlyMemory<byte> Body, string Tag);
