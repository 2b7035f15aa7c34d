namespace Optiks.Storage;

/// <summary>The stored facts on which the decision about a group of units depends (<see cref="AcceptPlan"/>).</summary>
/// <param name="Now">The database's clock.</param>
/// <param name="Head">The database's head row.</param>
/// <param name="Pending">The number of pending rows of each key of the group that has pending rows.</param>
/// <param name="Known">The body hash of each request id of the group that the database knows.</param>
public sealed record AcceptState(DateTimeOffset Now, HeadRow Head, Dictionary<UpdateKey, int> Pending, Dictionary<Guid, ReadOnlyMemory<byte>> Known);
