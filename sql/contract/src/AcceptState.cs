namespace Optiks.Storage;

/// <summary>What a database holds that decides about a group of units (<see cref="AcceptPlan"/>).</summary>
/// <param name="Now">The database's clock.</param>
/// <param name="Head">Its head row.</param>
/// <param name="Pending">Number of pending rows of each of the group's keys that has any.</param>
/// <param name="Known">Body hash of each of the group's ids that is known.</param>
public sealed record AcceptState(DateTimeOffset Now, HeadRow Head, Dictionary<UpdateKey, int> Pending, Dictionary<Guid, ReadOnlyMemory<byte>> Known);
