using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>The versions that the pages of a result showed of one chain.</summary>
/// <param name="Ended">The versions.</param>
/// <param name="Epoch">
/// Epoch of the last answer that showed the chain. It is earlier than the epoch of the result for the key of a device that left the list
/// while the client read the pages.
/// </param>
/// <param name="Handover">
/// The verdict of comparing the first version in the period with the end state of the previous period; null if they were not compared.
/// </param>
internal sealed record ShownChain(EndedVersions Ended, ulong Epoch, Reason? Handover);
