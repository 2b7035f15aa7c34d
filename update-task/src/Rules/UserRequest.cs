using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>UserRequest is a pending request about a user with what the epoch before says of its keys, but for the device list.</summary>
/// <param name="Pending">The request.</param>
/// <param name="Change">What it does to the list.</param>
/// <param name="Versions">Version of each item's key, 0 for none; of a username above 0 when it has an entry.</param>
/// <param name="HasLeft">The user has been decommissioned.</param>
internal sealed record UserRequest(PendingRequest Pending, UserChange Change, IReadOnlyList<ExpectedVersion> Versions, bool HasLeft)
{
    /// <summary>Freed says of each item whether it is a username whose user has left, and that may be this one's.</summary>
    public required IReadOnlyList<bool> Freed { get; init; }

    /// <summary>UserId that all of the request is about.</summary>
    public ReadOnlyMemory<byte> UserId => Pending.Items[UserChange.ItemIndex].Key;

    /// <summary>ListVersion is the list's latest version.</summary>
    public ExpectedVersion ListVersion => Versions[UserChange.ItemIndex];

    /// <summary>Exists: the user has a list.</summary>
    public bool Exists => ListVersion.Version > 0;

    /// <summary>NeedsList: the request is decided, or the list's next version made, by the latest one.</summary>
    public bool NeedsList => Exists && !Change.Creates && !HasLeft && (Change.ChangesList || Pending.Items.Any(Sets));

    /// <summary>Adds says whether an item is the first value of a device that is added.</summary>
    public bool Adds(AcceptItem item) => item.Structure == StructureId.Keys && DeviceListChange.Has(Change.Added, item.Key);

    /// <summary>Sets says whether an item is a new value of a device that has to be on the list.</summary>
    public bool Sets(AcceptItem item) => item.Structure == StructureId.Keys && !DeviceListChange.Has(Change.Added, item.Key);
}
