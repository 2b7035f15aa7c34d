using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Holds a pending request about a user, together with the state of the request's keys at the previous epoch. It does not hold the user's
/// device list.
/// </summary>
/// <param name="Pending">The request.</param>
/// <param name="Change">The change that the request makes to the device list.</param>
/// <param name="Versions">For each item, the latest version of the item's key, or 0 if the key does not exist. For a username, any number
/// above 0 means that the username has an entry.</param>
/// <param name="HasLeft">Whether the user has been decommissioned.</param>
internal sealed record PendingUserRequest(PendingRequest Pending, UserChange Change, IReadOnlyList<ExpectedVersion> Versions, bool HasLeft)
{
    /// <summary>
    /// For each item, whether the item is a username that may be reassigned to this user, because the username's user has left.
    /// </summary>
    public required IReadOnlyList<bool> Freed { get; init; }

    /// <summary>The id of the user whom the request is about.</summary>
    public ReadOnlyMemory<byte> UserId => Pending.Items[UserChange.ItemIndex].Key;

    /// <summary>The latest version of the user's device list; its number is 0 if the user has no list.</summary>
    public ExpectedVersion ListVersion => Versions[UserChange.ItemIndex];

    /// <summary>Whether the user has a device list.</summary>
    public bool Exists => ListVersion.Version > 0;

    /// <summary>
    /// Whether the user's latest device list is needed, either to decide the request or to make the next version of the list.
    /// </summary>
    public bool NeedsList => Exists && !Change.Creates && !HasLeft && (Change.ChangesList || Pending.Items.Any(Sets));

    /// <summary>Returns whether an item is the first value of a device that the request adds to the list.</summary>
    public bool Adds(AcceptItem item) => item.Structure == StructureId.Keys && DeviceListChange.Has(Change.Added, item.Key);

    /// <summary>Returns whether an item is a new value of a device that must be on the list.</summary>
    public bool Sets(AcceptItem item) => item.Structure == StructureId.Keys && !DeviceListChange.Has(Change.Added, item.Key);
}
