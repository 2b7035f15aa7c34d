using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>ForkState remembers what the log's own signature shows against it, so that later calls stop too.</summary>
/// <param name="EvidencePath">Folder with both views.</param>
/// <param name="Breach">What else than a fork it is: <see cref="Reason.LeafContradicts"/>; null: it is a fork.</param>
public sealed record ForkState(string EvidencePath, Reason? Breach = null);
