using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>
/// Applies the rules of docs/spec/users.md section 7 to one request. The caller has already checked the versions that the request expects.
/// The rules that apply to every change come first, and then the rules for usernames and devices.
/// </summary>
internal static class UserRules
{
    /// <summary>
    /// Decides whether a request is accepted. If the request changes the device list, also makes the new version of the list.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="list">The user's latest device list; empty if <see cref="PendingUserRequest.NeedsList"/> is false.</param>
    /// <param name="configuration">The log's configuration.</param>
    public static Decision Decide(PendingUserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list, Configuration configuration)
    {
        Refusal? refusal = RefuseUser(request) ?? RefuseUsername(request) ?? RefuseAdded(request, list) ?? RefuseMissing(request, list);
        return refusal is not null
            ? new Decision { Refusal = refusal }
            : request.Change.ChangesList
            ? Change(request, list, configuration)
            : new Decision { WithoutLeaf = new ItemResult.Unchanged(request.ListVersion) };
    }

    private static Refusal? RefuseUser(PendingUserRequest request)
    {
        RefusalReason? reason = request switch
        {
            { HasLeft: true } => RefusalReason.UserLeft,
            { Change.Creates: true, Exists: true } => RefusalReason.UserExists,
            { Change.Creates: false, Exists: false } => RefusalReason.UserUnknown,
            _ => null,
        };
        return reason is { } why ? RefuseList(request, why) : null;
    }

    private static Refusal? RefuseUsername(PendingUserRequest request)
    {
        // The refusal names version 0 for every username, because a username has no version that a request could expect (docs/spec/rest.md
        // section 5).
        int item = FirstItem(request,
            (update, i) => update.Structure == StructureId.Usernames && request.Versions[i].Version > 0 && !request.Freed[i]);
        return item < 0 ? null : new Refusal(RefusalReason.UsernameTaken, item, request.Versions[item] with { Version = 0 });
    }

    private static Refusal? RefuseAdded(PendingUserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list)
    {
        int item = FirstItem(request,
            (update, i) => request.Adds(update) && (request.Versions[i].Version > 0 || DeviceListChange.Has(list, update.Key)));
        return item < 0 ? null : new Refusal(RefusalReason.DeviceTaken, item, request.Versions[item]);
    }

    private static Refusal? RefuseMissing(PendingUserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list)
    {
        // A removed device has no item of its own in the request, so the refusal names the item of the device list.
        if (request.Change.Removed.Any(device => !DeviceListChange.Has(list, device)))
        {
            return RefuseList(request, RefusalReason.DeviceUnknown);
        }
        int item = FirstItem(request, (update, _) => request.Sets(update) && !DeviceListChange.Has(list, update.Key));
        return item < 0 ? null : new Refusal(RefusalReason.DeviceUnknown, item, request.Versions[item]);
    }

    private static Decision Change(PendingUserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list, Configuration configuration)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> devices = DeviceListChange.Apply(list, request.Change);
        byte[] octets = DeviceList.Encode(devices);
        return devices.Count > configuration.MaxDevices || octets.Length > configuration.MaxValueLength
            ? new Decision { Refusal = RefuseList(request, RefusalReason.DeviceLimit) }
            : new Decision { List = octets };
    }

    private static Refusal RefuseList(PendingUserRequest request, RefusalReason reason) =>
        new(reason, UserChange.ItemIndex, request.ListVersion);

    // Returns the index of the first item that matches, or -1 if no item matches.
    private static int FirstItem(PendingUserRequest request, Func<AcceptItem, int, bool> matches)
    {
        IReadOnlyList<AcceptItem> items = request.Pending.Items;
        for (int i = 0; i < items.Count; i++)
        {
            if (matches(items[i], i))
            {
                return i;
            }
        }
        return -1;
    }
}
