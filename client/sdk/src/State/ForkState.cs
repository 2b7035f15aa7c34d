using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Remembers that the log's own signature proves a fault of the log, so that later calls stop too.</summary>
/// <param name="EvidencePath">Folder of the evidence, with both views or both leaf statements.</param>
/// <param name="Breach">
/// <see cref="Reason.LeafContradicts"/> if the evidence is two contradicting leaf statements; null if it is a fork.
/// </param>
public sealed record ForkState(string EvidencePath, Reason? Breach = null);
