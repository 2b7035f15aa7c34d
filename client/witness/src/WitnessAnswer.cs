namespace Optiks.Witness;

/// <summary>The answer to an add-checkpoint request.</summary>
/// <param name="Status">HTTP status of the answer.</param>
/// <param name="Body">Cosignature line of a 200, size line of a 409; empty otherwise.</param>
internal sealed record WitnessAnswer(int Status, string Body = "");
