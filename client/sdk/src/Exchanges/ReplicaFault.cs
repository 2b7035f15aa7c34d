using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says what was wrong with the answer of one replica, so that the client asked another one.</summary>
/// <param name="Server">The replica.</param>
/// <param name="Reason">First check that the answer failed; null if it was not an answer of this protocol, or was a refusal.</param>
/// <param name="Detail">One sentence for people.</param>
public sealed record ReplicaFault(Uri Server, Reason? Reason, string Detail);
