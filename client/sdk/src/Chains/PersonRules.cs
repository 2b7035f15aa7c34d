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
}
