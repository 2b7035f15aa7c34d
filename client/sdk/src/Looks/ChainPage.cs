using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The part of an answer about the versions of one chain.</summary>
/// <param name="Chain">The chain.</param>
/// <param name="Latest">
/// Latest version. On a page that does not end the list of versions, this number is only a claim of the server without proof.
/// </param>
/// <param name="Versions">Versions that the answer shows, in order.</param>
/// <param name="Complete">Whether the list of versions ends on this page.</param>
/// <param name="Handover">
/// The verdict of comparing the first version in the period with the end state of the previous period; null if they were not compared.
/// </param>
internal sealed record ChainPage(
    StructureKey Chain, ulong Latest, IReadOnlyList<TimedVersion> Versions, bool Complete, Reason? Handover);
