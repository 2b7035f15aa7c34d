namespace Optiks.Storage;

/// <summary>Outcome of one pending item, written with its epoch.</summary>
/// <param name="RequestId">The request.</param>
/// <param name="Sequence">Its order of acceptance.</param>
/// <param name="Item">The item in it.</param>
/// <param name="Ordinal">Its leaf's place in the epoch; null when the request was refused.</param>
/// <param name="Refusal">Why, when refused (the same for every item of the request).</param>
public sealed record Outcome(Guid RequestId, long Sequence, int Item, int? Ordinal, Refusal? Refusal);
