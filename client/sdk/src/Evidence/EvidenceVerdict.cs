using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says what a folder of evidence proves to somebody who did not collect it.</summary>
/// <param name="Kind">The kind of evidence.</param>
/// <param name="Anchor">Trust anchor of the log in question. The evidence proves something only to a reader who is sure that this anchor
/// belongs to the log.</param>
/// <param name="IsProof">Whether the log's own signature proves the breach.</param>
/// <param name="Breach">The rule that the log broke; for a refused proof, the reason of the refusal.</param>
/// <param name="Epoch">Epoch at which the log broke the rule; null for a fork.</param>
/// <param name="Sentence">A sentence for people that says what the evidence proves, or why it proves nothing.</param>
public sealed record EvidenceVerdict(EvidenceKind Kind, TrustAnchor Anchor, bool IsProof, Reason Breach, ulong? Epoch, string Sentence);
