using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Compares what the log shows of an owner's user with what the owner did, as far as it belongs to no chain, and keeps the user and its
/// chains together (docs/spec/state.md section 3).
/// </summary>
internal static class PersonRules
{
    /// <summary>Returns the owned user to whom the client's state assigns a name; null if no owned user claims the name.</summary>
    public static string? UserOf(ClientState state, string name) =>
        state.OwnedPersons.Where(user => state.OwnPersonOf(user)!.Names.Contains(name))
        .OrderByDescending(user => state.Names.GetValueOrDefault(name)?.User == user).ThenBy(user => user, StringComparer.Ordinal)
        .FirstOrDefault();

    /// <summary>Returns the owner's part of a user's device list; null if the client does not own the list.</summary>
    public static Own? ListOf(ClientState state, string user) => state.OwnOf(StructureKey.OfList(user));

    /// <summary>Returns the ids of the devices on the list that the owner of a user verified last.</summary>
    public static IReadOnlySet<string> DevicesOf(ClientState state, string user) => OwnRules.DeviceIds(ListOf(state, user)?.List);

    /// <summary>Records in the state that the client's owner counts these usernames as names of its own user.</summary>
    public static ClientState Claim(ClientState current, string user, IEnumerable<string> names)
    {
        OwnPerson own = current.OwnPersonOf(user) ?? new OwnPerson();
        string[] added = [.. names.Except(own.Names, StringComparer.Ordinal)];
        return added.Length == 0 ? current : current.SetOwnPerson(user, own with { Names = [.. own.Names, .. added] });
    }

    /// <summary>
    /// Removes the names of a refused request from the names that the owner counts as its user's. Names that, according to a verified
    /// answer, lead to the user stay.
    /// </summary>
    public static ClientState Disclaim(ClientState current, string user, IReadOnlyCollection<string> names) =>
        current.OwnPersonOf(user) is { } own
            && own.Names.RemoveAll(name => names.Contains(name) && current.Names.GetValueOrDefault(name)?.User != user) is var left
            && left.Length < own.Names.Length
            ? current.SetOwnPerson(user, own with { Names = left })
            : current;

    /// <summary>
    /// Raises an alarm for each owned user with a name that, according to a verified answer, leads to another user. There is no alarm if
    /// the function <paramref name="passedOn"/> says that the owned user had left before its name was assigned to another user.
    /// </summary>
    public static ClientState NoteName(ClientState current, string name, string user, ulong epoch, Func<string, bool> passedOn)
    {
        ClientState next = current;
        foreach (string owner in current.OwnedPersons)
        {
            OwnPerson own = current.OwnPersonOf(owner)!;
            bool isElsewhere = owner != user && own.Names.Contains(name) && !passedOn(owner)
                && !own.Alarms.Any(alarm => alarm.Name == name && alarm.User == user);
            next = isElsewhere
                ? next.SetOwnPerson(owner, own with { Alarms = own.Alarms.Add(new PersonAlarm(epoch, name, user)) })
                : next;
        }
        return next;
    }

    /// <summary>
    /// Records that a verified answer shows an owned user to have left. Raises an alarm if the owner did not request that.
    /// </summary>
    public static ClientState NoteLeft(ClientState current, string user, ulong epoch)
    {
        if (current.OwnPersonOf(user) is not { HasLeft: false } own)
        {
            return current;
        }
        OwnPerson left = own with { HasLeft = true };
        return current.SetOwnPerson(user, own.Leaving.IsEmpty
            ? left with { Alarms = own.Alarms.Add(new PersonAlarm(epoch)) }
            : left with { Leaving = own.Leaving.RemoveAt(0) });
    }

    /// <summary>
    /// Records the first period in which a verified answer shows an owned user. Monitoring begins in that period. So it also covers what
    /// servers showed other clients before the owner monitored the user for the first time.
    /// </summary>
    public static ClientState NoteSeen(ClientState current, string user, ulong period) =>
        current.OwnPersonOf(user) is { GoesOnFrom: null } own ? current.SetOwnPerson(user, own with { GoesOnFrom = period }) : current;

    /// <summary>Tells whether a key belongs to a device of an owned user who is known to have left.</summary>
    public static bool HasLeft(ClientState state, string key) => state.OwnedPersons.Any(user =>
        (state.OwnPersonOf(user)!.HasLeft || state.LeftEpochOf(user) is not null) && DevicesOf(state, user).Contains(key));

    /// <summary>
    /// Makes the client continue in the next period after a period that the log no longer serves. This applies to the user's device list
    /// and to the keys of its devices. The owner does not verify the last epochs of the ended period.
    /// </summary>
    public static ClientState Miss(ClientState current, string user, EpochRecord end)
    {
        OwnPerson own = current.OwnPersonOf(user)!;
        var list = StructureKey.OfList(user);
        ClientState next = current.SetOwnPerson(user, own with { GoesOnFrom = end.Period + 1 })
            .SetOwn(list, OwnRules.Miss(current.OwnOf(list) ?? new Own(), end));
        foreach (string id in DevicesOf(current, user))
        {
            if (next.OwnOf(StructureKey.OfKey(id)) is { } key && key.At?.Period == own.GoesOnFrom)
            {
                next = next.SetOwn(StructureKey.OfKey(id), OwnRules.Miss(key, end));
            }
        }
        return PeriodEnds.Tidy(next);
    }

    /// <summary>
    /// Makes the client continue in the next period after a period in which none of the owner's names led to the user. This is correct only
    /// if the tree of usernames has only grown since then. If auditors do not cover the period's end, the state records the period as one
    /// without guarantee.
    /// </summary>
    public static ClientState BeginAfter(ClientState current, string user, EpochRecord end, Coverage coverage)
    {
        if (!coverage.MayLeaveOut(end.Epoch))
        {
            return Miss(current, user, end);
        }
        var list = StructureKey.OfList(user);
        Own own = current.OwnOf(list) ?? new Own();
        var at = new Cursor { Period = end.Period + 1, ProvenEpoch = own.At?.ProvenEpoch ?? end.Epoch };
        return PeriodEnds.Tidy(current.SetOwnPerson(user, current.OwnPersonOf(user)! with { GoesOnFrom = at.Period })
            .SetOwn(list, own with { At = at }));
    }

    /// <summary>
    /// Returns the state after a result about the client's own user. The result may show versions again that earlier monitoring answers
    /// showed and that the state no longer has. Such a version raises an alarm if it was still the latest version after the epoch passed as
    /// <paramref name="covered"/> (<see cref="OwnRules.SeeAgain"/>).
    /// </summary>
    public static ClientState Apply(ClientState current, OwnUserShown shown, ulong covered)
    {
        string user = shown.User.Id;
        OwnPerson own = current.OwnPersonOf(user) ?? new OwnPerson();
        ClientState next = current.SetOwnPerson(user, own);
        if (shown.HasLeft)
        {
            // The log copies nothing of a user who has left into later periods, so there is no hand-over to do.
            next = NoteLeft(next, user, shown.Epoch);
            return PeriodEnds.Tidy(
                next.SetOwnPerson(user, next.OwnPersonOf(user)! with { GoesOnFrom = current.Head?.Period ?? shown.Period }));
        }
        covered = shown.IsShownAgain ? covered : ulong.MaxValue;
        foreach ((string id, OwnUserDevice device) in shown.Devices)
        {
            var key = StructureKey.OfKey(id);
            next = next.SetOwn(key, LookAtDevice(next, next.OwnOf(key) ?? new Own { IsListedOnly = true }, shown, device, covered));
        }
        var list = StructureKey.OfList(user);
        Own lists = OwnRules.SeeAgain(next.OwnOf(list) ?? new Own(), shown.Period, shown.List.Versions, covered);
        lists = OwnRules.Look(lists, shown.Period, shown.Epoch, shown.List.Versions, shown.Handover, shown.LatestList.ToArray());
        next = next.SetOwn(list, lists with { At = lists.At! with { ProvenEpoch = shown.Proven } })
            // The call of Tidy below drops the ids that the state does not need.
            .SetOwnPerson(user, own with { GoesOnFrom = shown.Period, Followed = [.. own.Followed.Union(shown.Devices.Keys)] });
        return PeriodEnds.Tidy(Tidy(next));
    }

    /// <summary>
    /// Drops the owner's part of devices' keys that are on no list any more, once they have no alarms and no expected changes. Separately
    /// owned keys stay.
    /// </summary>
    public static ClientState Tidy(ClientState current)
    {
        bool HasAlarms(string id) => current.OwnOf(StructureKey.OfKey(id)) is { Alarms.IsEmpty: false };

        var listed = new HashSet<string>(StringComparer.Ordinal);
        ClientState next = current;
        foreach (string user in current.OwnedPersons)
        {
            OwnPerson own = current.OwnPersonOf(user)!;
            IReadOnlySet<string> ids = DevicesOf(current, user);
            listed.UnionWith(ids);
            ImmutableArray<string> followed = [.. ids.Order(StringComparer.Ordinal).Union(own.Followed.Where(HasAlarms))];
            next = followed.SequenceEqual(own.Followed) ? next : next.SetOwnPerson(user, own with { Followed = followed });
        }
        return current.OwnedChains.Where(key => key.Structure == StructureId.Keys && !listed.Contains(key.Id)
            && current.OwnOf(key) is { IsListedOnly: true, Alarms.IsEmpty: true, Expected.IsEmpty: true })
            .Aggregate(next, (state, key) => state.SetOwn(key, null));
    }

    // A device's key may also be owned separately, and its own monitoring may then be in another period than this result.
    private static Own LookAtDevice(ClientState current, Own own, OwnUserShown shown, OwnUserDevice device, ulong covered)
    {
        IReadOnlyList<TimedVersion> versions = device.Ended.Versions;
        Own before = OwnRules.SeeAgain(own, shown.Period, versions, covered);
        if (before.At?.Period > shown.Period)
        {
            return own;
        }
        // A separately owned key that was not on the list at the end of its period still needs its own hand-over.
        if (before.At is { } at && at.Period < shown.Period && !before.IsListedOnly && device.Handover is null
            && current.EndOf(at.Period) is not null)
        {
            return OwnRules.CompareBehind(before, shown.Period, versions);
        }
        Own next = OwnRules.Look(before, shown.Period, device.Epoch, versions, device.Handover);
        // If this result shows all versions of a separately owned key, store the epoch of this result as the key's ProvenEpoch. It replaces
        // the epoch of the earlier answer that showed all versions of the key.
        return next.At!.ProvenEpoch is not null && versions is [{ Version.Version: 1 }, ..]
            ? next with { At = next.At with { ProvenEpoch = shown.Proven } }
            : next;
    }
}
