using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says what a folder of evidence shows to somebody who was not there.</summary>
/// <param name="Kind">The subject of the evidence.</param>
/// <param name="Anchor">Trust anchor of the log in question. The evidence is worth no more than the assurance that this anchor is the
/// log's.</param>
/// <param name="IsProof">True if the log's own signature proves the breach.</param>
/// <param name="Breach">The rule that is broken; for a refused proof, the reason of the refusal.</param>
/// <param name="Epoch">Epoch at which the rule is broken; null for a fork.</param>
/// <param name="Sentence">Says for people what the evidence proves, or why it proves nothing.</param>
public sealed record EvidenceVerdict(EvidenceKind Kind, TrustAnchor Anchor, bool IsProof, Reason Breach, ulong? Epoch, string Sentence);
