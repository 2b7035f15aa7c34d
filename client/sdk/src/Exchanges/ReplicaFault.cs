using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Says what was wrong with the answer of one replica. Because of this fault the client asks another replica.</summary>
/// <param name="Server">The replica.</param>
/// <param name="Reason">First check that the answer failed; null if the replica refused the request or its answer did not follow this
/// protocol.</param>
/// <param name="Detail">One sentence about the fault, for people.</param>
public sealed record ReplicaFault(Uri Server, Reason? Reason, string Detail);
