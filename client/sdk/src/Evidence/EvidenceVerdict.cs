using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>EvidenceVerdict is what a folder of evidence shows to somebody who was not there.</summary>
/// <param name="Kind">What it is about.</param>
/// <param name="Anchor">Trust anchor of the log that it is about: evidence is as good as whoever vouches that this is the log's.</param>
/// <param name="IsProof">True: the log's own signature shows it.</param>
/// <param name="Breach">The rule that is broken; of a proof that is refused, why.</param>
/// <param name="Epoch">Epoch at which it is broken; null of a fork.</param>
/// <param name="Sentence">What it proves, or why it does not, for people.</param>
public sealed record EvidenceVerdict(EvidenceKind Kind, TrustAnchor Anchor, bool IsProof, Reason Breach, ulong? Epoch, string Sentence);
