using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>Holds a pending request about a user and the state of its keys at the epoch before, except the device list.</summary>
/// <param name="Pending">The request.</param>
/// <param name="Change">The change that the request makes to the device list.</param>
/// <param name="Versions">The version of each item's key, or 0 if the key has no version. For a username it is above 0 if the username has
/// an entry.</param>
/// <param name="HasLeft">Whether the user has been decommissioned.</param>
internal sealed record PendingUserRequest(PendingRequest Pending, UserChange Change, IReadOnlyList<ExpectedVersion> Versions, bool HasLeft)
{
    /// <summary>For each item, whether it is a username whose user has left and which may be reassigned to this user.</summary>
    public required IReadOnlyList<bool> Freed { get; init; }

    /// <summary>The id of the user that the whole request is about.</summary>
    public ReadOnlyMemory<byte> UserId => Pending.Items[UserChange.ItemIndex].Key;

    /// <summary>The device list's latest version.</summary>
    public ExpectedVersion ListVersion => Versions[UserChange.ItemIndex];

    /// <summary>Whether the user has a device list.</summary>
    public bool Exists => ListVersion.Version > 0;

    /// <summary>Whether the latest list is needed to decide the request, or to make the list's next version.</summary>
    public bool NeedsList => Exists && !Change.Creates && !HasLeft && (Change.ChangesList || Pending.Items.Any(Sets));

    /// <summary>Returns whether an item is the first value of an added device.</summary>
    public bool Adds(AcceptItem item) => item.Structure == StructureId.Keys && DeviceListChange.Has(Change.Added, item.Key);

    /// <summary>Returns whether an item is a new value of a device that must be on the list.</summary>
    public bool Sets(AcceptItem item) => item.Structure == StructureId.Keys && !DeviceListChange.Has(Change.Added, item.Key);
}
