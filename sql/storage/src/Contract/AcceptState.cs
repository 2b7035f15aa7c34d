namespace Optiks.Storage;

/// <summary>The stored data on which the decision about a group of units depends (<see cref="AcceptPlan"/>).</summary>
/// <param name="Now">The time by the database's clock.</param>
/// <param name="Head">The database's head row.</param>
/// <param name="Pending">For each key that the group updates and that has pending rows, the number of these rows.</param>
/// <param name="Known">For each request id in the group that the database knows, the stored body hash.</param>
public sealed record AcceptState(
    DateTimeOffset Now, HeadRow Head, Dictionary<UpdateKey, int> Pending, Dictionary<Guid, ReadOnlyMemory<byte>> Known);
