namespace Optiks.Witness;

/// <summary>The answer to an add-checkpoint request.</summary>
/// <param name="Status">HTTP status of the answer.</param>
/// <param name="Body">Body of the answer: the cosignature line for status 200, the size line for status 409, and empty for other
/// statuses.</param>
internal sealed record WitnessAnswer(int Status, string Body = "");
