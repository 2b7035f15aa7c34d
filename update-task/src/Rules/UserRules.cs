using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Rules;

/// <summary>UserRules are the rules of docs/spec/users.md section 7, but for expected versions, which come before them: first those that hold for any change, then those of names and devices.</summary>
internal static class UserRules
{
    /// <summary>Decide whether a request is taken, and the list's new version.</summary>
    /// <param name="request">The request.</param>
    /// <param name="list">The user's latest list; empty unless <see cref="UserRequest.NeedsList"/>.</param>
    /// <param name="configuration">The log's.</param>
    public static Decision Decide(UserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list, Configuration configuration)
    {
        Refusal? refusal = RefuseUser(request) ?? RefuseUsername(request) ?? RefuseAdded(request, list) ?? RefuseMissing(request, list);
        return refusal is not null
            ? new Decision { Refusal = refusal }
            : request.Change.ChangesList
            ? Change(request, list, configuration)
            : new Decision { Unchanged = OfList(request, RefusalReason.Unchanged) };
    }

    private static Refusal? RefuseUser(UserRequest request)
    {
        RefusalReason? reason = request switch
        {
            { HasLeft: true } => RefusalReason.UserLeft,
            { Change.Creates: true, Exists: true } => RefusalReason.UserExists,
            { Change.Creates: false, Exists: false } => RefusalReason.UserUnknown,
            _ => null,
        };
        return reason is { } why ? OfList(request, why) : null;
    }

    private static Refusal? RefuseUsername(UserRequest request)
    {
        // To whom a name leads is no version that a request could expect: the latest is 0 either way (docs/spec/rest.md section 5).
        int item = FirstItem(request, (update, i) => update.Structure == StructureId.Usernames && request.Versions[i].Version > 0 && !request.Freed[i]);
        return item < 0 ? null : new Refusal(RefusalReason.UsernameTaken, item, request.Versions[item] with { Version = 0 });
    }

    private static Refusal? RefuseAdded(UserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list)
    {
        int item = FirstItem(request, (update, i) => request.Adds(update) && (request.Versions[i].Version > 0 || DeviceListChange.Has(list, update.Key)));
        return item < 0 ? null : new Refusal(RefusalReason.DeviceTaken, item, request.Versions[item]);
    }

    private static Refusal? RefuseMissing(UserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list)
    {
        // A device that is removed has no item of its own: its removal is the list's.
        if (request.Change.Removed.Any(device => !DeviceListChange.Has(list, device)))
        {
            return OfList(request, RefusalReason.DeviceUnknown);
        }
        int item = FirstItem(request, (update, _) => request.Sets(update) && !DeviceListChange.Has(list, update.Key));
        return item < 0 ? null : new Refusal(RefusalReason.DeviceUnknown, item, request.Versions[item]);
    }

    private static Decision Change(UserRequest request, IReadOnlyList<ReadOnlyMemory<byte>> list, Configuration configuration)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> devices = DeviceListChange.Apply(list, request.Change);
        byte[] octets = DeviceList.Encode(devices);
        return devices.Count > configuration.MaxDevices || octets.Length > configuration.MaxValueLength
            ? new Decision { Refusal = OfList(request, RefusalReason.DeviceLimit) }
            : new Decision { List = octets };
    }

    private static Refusal OfList(UserRequest request, RefusalReason reason) => new(reason, UserChange.ItemIndex, request.ListVersion);

    // -1: there is none.
    private static int FirstItem(UserRequest request, Func<AcceptItem, int, bool> matches)
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
