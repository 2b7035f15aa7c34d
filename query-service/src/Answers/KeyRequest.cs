namespace Optiks.QueryService.Answers;

/// <summary>KeyRequest is one request about keys while it is answered.</summary>
/// <param name="Kind">What is asked.</param>
/// <param name="Queries">About which keys.</param>
/// <param name="Position">How far the client has seen the log.</param>
/// <param name="Type">Media type of the answer.</param>
/// <param name="UsesCache">False: all VRF proofs are made, whatever is cached, and none is cached.</param>
/// <param name="Lease">Counts the memory of the answer, which is disposed before it.</param>
internal sealed record KeyRequest(QueryKind Kind, QueryBatch Queries, ClientPosition Position, string Type, bool UsesCache, AnswerLease Lease);
