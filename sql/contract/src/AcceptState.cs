namespace Optiks.Storage;

/// <summary>The stored facts that decide about a group of units (<see cref="AcceptPlan"/>).</summary>
/// <param name="Now">The database's clock.</param>
/// <param name="Head">Its head row.</param>
/// <param name="Pending">Number of pending rows of each key of the group that has any.</param>
/// <param name="Known">Body hash of each request id of the group that the database knows.</param>
public sealed record AcceptState(DateTimeOffset Now, HeadRow Head, Dictionary<UpdateKey, int> Pending, Dictionary<Guid, ReadOnlyMemory<byte>> Known);
