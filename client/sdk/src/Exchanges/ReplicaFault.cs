using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>ReplicaFault says what was wrong with the answer of one replica, so that another one was asked.</summary>
/// <param name="Server">The replica.</param>
/// <param name="Reason">First check that the answer failed; null: it was no answer of this protocol, or a refusal.</param>
/// <param name="Detail">One sentence for people.</param>
public sealed record ReplicaFault(Uri Server, Reason? Reason, string Detail);
