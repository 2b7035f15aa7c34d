using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Compares what the log shows of an owner's user with what the owner did (docs/spec/state.md section 3).</summary>
internal static class OwnedUserRules
{
    /// <summary>
    /// Returns the state of the latest list version, from an owner's verification of all versions of the list; null if the owner has not
    /// verified the list.
    /// </summary>
    public static KeyState? ListState(OwnedUser? owned) => owned?.List is not { } list ? null : new KeyState
    {
        LeastEpoch = owned.LeastEpoch,
        Period = list.Period,
        Version = list.Version,
        Time = list.Time,
        AbsentEpoch = list.AbsentEpoch,
        ValueSha256 = ValueHash.Of(list.Octets),
    };

    /// <summary>Returns the ids of the devices in a verified device list, in base64url.</summary>
    public static IEnumerable<string> Ids(ReadOnlyMemory<byte> list) =>
        DeviceList.Decode(list).Select(device => Base64UrlText.Encode(device.Span));

    /// <summary>Returns the owned user to whom the client's state assigns a name; null if no owned user claims the name.</summary>
    public static string? UserOf(ClientState state, string name) =>
        state.OwnedUsers.Where(user => user.Value.Names.Contains(name)).Select(user => user.Key)
        .OrderByDescending(user => state.Names.GetValueOrDefault(name)?.User == user).ThenBy(user => user, StringComparer.Ordinal)
        .FirstOrDefault();

    /// <summary>Records in the state that the client's owner counts these usernames as names of its own user.</summary>
    public static ClientState Claim(ClientState current, string user, IEnumerable<string> names)
    {
        OwnedUser? owned = current.OwnedUsers.GetValueOrDefault(user);
        string[] added = [.. names.Except(owned?.Names ?? [], StringComparer.Ordinal)];
        return added.Length == 0
            ? current
            : With(current, user, (owned ?? new OwnedUser()) with { Names = [.. owned?.Names ?? [], .. added] });
    }

    /// <summary>
    /// Removes the names of a refused request from the names that the owner counts as its user's. Names that, according to a verified
    /// answer, lead to the user stay.
    /// </summary>
    public static ClientState Disclaim(ClientState current, string user, IReadOnlyCollection<string> names) =>
        current.OwnedUsers.TryGetValue(user, out OwnedUser? owned)
            && owned.Names.RemoveAll(name => names.Contains(name) && current.Names.GetValueOrDefault(name)?.User != user) is var left
            && left.Length < owned.Names.Length
            ? With(current, user, owned with { Names = left })
            : current;

    /// <summary>
    /// Raises an alarm for each owned user with a name that, according to a verified answer, leads to another user. There is no alarm if
    /// the function <paramref name="passedOn"/> says that the owned user had left before its name was assigned to another user.
    /// </summary>
    public static ClientState NoteName(ClientState current, string name, string user, ulong epoch, Func<string, bool> passedOn) =>
        current.OwnedUsers.Where(owned => owned.Key != user && owned.Value.Names.Contains(name) && !passedOn(owned.Key))
            .Aggregate(current, (next, owned) =>
            owned.Value.Alarms.Any(alarm => alarm.Kind == UserAlarmKind.NameElsewhere && alarm.Name == name && alarm.User == user)
                ? next
                : With(
                    next, owned.Key,
                    owned.Value with
                    {
                        Alarms = owned.Value.Alarms.Add(
                        new UserAlarm(UserAlarmKind.NameElsewhere, 0, 0, epoch, Name: name, User: user))
                    }));

    /// <summary>Records that a verified answer shows an owned user to have left.</summary>
    public static ClientState NoteLeft(ClientState current, string user, ulong epoch) =>
        current.OwnedUsers.TryGetValue(user, out OwnedUser? owned) ? With(current, user, Left(owned, epoch)) : current;

    /// <summary>
    /// Records the first period in which a verified answer shows an owned user. Monitoring begins in that period. So it also covers what
    /// servers showed other clients before the owner monitored the user for the first time.
    /// </summary>
    public static ClientState NoteSeen(ClientState current, string user, ulong period) =>
        current.OwnedUsers.TryGetValue(user, out OwnedUser? owned) && owned.GoesOnFrom is null
            ? With(current, user, owned with { Period = period })
            : current;

    /// <summary>Tells whether a key belongs to a device of an owned user who is known to have left.</summary>
    public static bool HasLeft(ClientState state, string key) => state.OwnedUsers.Any(user =>
        (user.Value.HasLeft || state.Users.GetValueOrDefault(user.Key)?.LeftEpoch is not null) && user.Value.List is { } list
            && Ids(list.Octets).Contains(key));

    /// <summary>
    /// Makes the client continue in the next period after a period that the log no longer serves. This applies to the user's device list
    /// and to the keys of its devices. The owner does not verify the last epochs of the ended period.
    /// </summary>
    public static ClientState Miss(ClientState current, string user, EpochRecord end)
    {
        OwnedUser owned = current.OwnedUsers[user];
        ulong? at = owned.GoesOnFrom;
        NoGuarantee missed = OwnerRules.Missed(owned.List is { } list && list.Period == end.Period ? list.AbsentEpoch : null, end);
        ClientState next = With(current, user, owned with
        {
            Period = end.Period + 1,
            NoGuarantee = missed.FromEpoch > missed.ToEpoch || owned.NoGuarantee.Any(known => known.Period == end.Period)
                ? owned.NoGuarantee
                : owned.NoGuarantee.Add(missed),
        });
        foreach (string id in owned.List is null ? [] : Ids(owned.List.Octets))
        {
            if (next.Owned.TryGetValue(id, out OwnedKey? key) && key.Period == at)
            {
                next = next with { Owned = next.Owned.SetItem(id, OwnerRules.Miss(key, end)) };
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
        OwnedUser owned = current.OwnedUsers[user];
        return PeriodEnds.Tidy(With(current, user, owned with { Period = end.Period + 1, ProvenEpoch = owned.ProvenEpoch ?? end.Epoch }));
    }

    /// <summary>
    /// Returns the state after a result about the client's own user. The result may show versions again that earlier monitoring answers
    /// showed and that the state no longer has. Such a version raises an alarm if it was still the latest version after the epoch passed as
    /// <paramref name="covered"/> (<see cref="OwnerRules.SeenAgain"/>).
    /// </summary>
    public static ClientState Apply(ClientState current, OwnUserShown shown, ulong covered)
    {
        OwnedUser owned = current.OwnedUsers.GetValueOrDefault(shown.User.Id) ?? new OwnedUser();
        if (shown.HasLeft)
        {
            // The log copies nothing of a user who has left into later periods, so there is no hand-over to do.
            return PeriodEnds.Tidy(
                With(current, shown.User.Id,
                    Left(owned, shown.Epoch) with
                    {
                        LeastEpoch = Math.Max(shown.Epoch, owned.LeastEpoch),
                        Period = current.Head?.Period ?? shown.Period,
                    }));
        }
        covered = shown.IsShownAgain ? covered : ulong.MaxValue;
        var keys = ImmutableDictionary.CreateBuilder<string, OwnedKey>();
        keys.AddRange(current.Owned);
        foreach ((string id, OwnUserDevice device) in shown.Devices)
        {
            OwnedKey before = OwnerRules.SeeAgain(
                keys.GetValueOrDefault(id) ?? new OwnedKey { IsListedOnly = true }, shown.Period, device.Ended.Versions, covered);
            if (before.Period > shown.Period)
            {
                // Skip the device: the owner has monitored its key separately, so the key's state is already in a later period.
                continue;
            }
            IReadOnlyList<VersionsExchange.TimedVersion> versions = device.Ended.Versions;
            // A separately owned key that was not on the list at the end of its period still needs its own hand-over.
            bool isBehind = before.Period < shown.Period && !before.IsListedOnly && device.Handover is null
                && current.EndOf(before.Period) is not null;
            OwnedKey next = isBehind
                ? OwnerRules.Compare(before, shown.Period, versions)
                : OwnerRules.Apply(before, shown.Period, device.Epoch, versions, device.Handover);
            // If this result shows all versions of a separately owned key, store the epoch of this result as the key's ProvenEpoch. It
            // replaces the epoch of the earlier answer that showed all versions of the key.
            bool isWhole = !isBehind && next.ProvenEpoch is not null && versions is [{ Version.Version: 1 }, ..];
            keys[id] = isWhole ? next with { ProvenEpoch = shown.Proven } : next;
        }
        OwnedUser after = Lists(owned, shown, covered) with
        {
            LeastEpoch = Math.Max(shown.Epoch, owned.LeastEpoch),
            Period = shown.Period,
            ProvenEpoch = shown.Proven,
            // The call of Tidy below drops the ids that the state does not need.
            Followed = [.. owned.Followed.Union(shown.Devices.Keys)],
        };
        return PeriodEnds.Tidy(Tidy(With(current with { Owned = keys.ToImmutable() }, shown.User.Id, after)));
    }

    /// <summary>
    /// Drops the state of devices that are on no list any more, once they have no alarms and no expected changes. The state of separately
    /// owned keys stays.
    /// </summary>
    public static ClientState Tidy(ClientState current)
    {
        bool HasAlarms(string id) => current.Owned.TryGetValue(id, out OwnedKey? key) && key.Alarms.Length > 0;

        var listed = new HashSet<string>(StringComparer.Ordinal);
        ClientState next = current;
        foreach ((string user, OwnedUser owned) in current.OwnedUsers)
        {
            string[] ids = owned.List is null ? [] : [.. Ids(owned.List.Octets)];
            listed.UnionWith(ids);
            ImmutableArray<string> followed = [.. ids.Union(owned.Followed.Where(HasAlarms))];
            next = followed.SequenceEqual(owned.Followed) ? next : With(next, user, owned with { Followed = followed });
        }
        string[] dropped =
            [.. current.Owned.Where(key => key.Value is { IsListedOnly: true, Alarms.Length: 0, Expected.Length: 0 }
                && !listed.Contains(key.Key)).Select(key => key.Key)];
        return dropped.Length == 0 ? next : next with { Owned = next.Owned.RemoveRange(dropped) };
    }

    /// <summary>
    /// Returns two kinds of alarms: first those about a user, then those about the values of the user's devices, device by device.
    /// </summary>
    public static IReadOnlyList<UserAlarm> Alarms(ClientState state, string user) =>
        !state.OwnedUsers.TryGetValue(user, out OwnedUser? owned)
        ? []
        :
        [
            .. owned.Alarms.OrderBy(alarm => alarm.Kind).ThenBy(alarm => alarm.Period).ThenBy(alarm => alarm.Version),
            .. owned.Followed.Order(StringComparer.Ordinal)
                .SelectMany(id => (state.Owned.GetValueOrDefault(id)?.Alarms ?? []).Select(alarm => UserAlarm.OfDevice(id, alarm))),
        ];

    /// <summary>
    /// Returns the alarms to report with a lookup of a name: alarms that the name leads to another user than the owner's, and alarms that
    /// an owned user in the lookup has left.
    /// </summary>
    public static IReadOnlyList<UserAlarm> AlarmsOf(ClientState state, string name, IEnumerable<ReadOnlyMemory<byte>> users)
    {
        string[] ids = [.. users.Select(user => Base64UrlText.Encode(user.Span))];
        return
        [
            .. state.OwnedUsers.SelectMany(owned => owned.Value.Alarms.Where(alarm =>
                alarm.Kind == UserAlarmKind.NameElsewhere
                    ? alarm.Name == name
                    : alarm.Kind == UserAlarmKind.Left && ids.Contains(owned.Key))),
        ];
    }

    /// <summary>
    /// Ends alarms, and returns the number of alarms that ended. If an ended alarm was about a name that leads to another user, the owner's
    /// user no longer claims that name.
    /// </summary>
    public static ClientState Acknowledge(ClientState current, string user, IReadOnlyCollection<UserAlarm> alarms, out int count)
    {
        IReadOnlyList<UserAlarm> held = Alarms(current, user);
        UserAlarm[] ended = [.. held.Where(alarms.Contains)];
        count = ended.Length;
        if (count == 0)
        {
            return current;
        }
        OwnedUser owned = current.OwnedUsers[user];
        string[] elsewhere = [.. ended.Select(alarm => alarm.Name).OfType<string>()];
        ClientState next = With(current, user,
            owned with { Alarms = owned.Alarms.RemoveAll(ended.Contains), Names = owned.Names.RemoveAll(elsewhere.Contains) });
        foreach (UserAlarm alarm in ended.Where(alarm => alarm.Device is not null))
        {
            OwnedKey key = next.Owned[alarm.Device!];
            next =
                next with
                {
                    Owned = next.Owned.SetItem(
                    alarm.Device!, key with { Alarms = key.Alarms.RemoveAll(alarm.OwnerAlarm.Equals) })
                };
        }
        return Tidy(next);
    }

    // Compares each new version of the device list with the version before it. A version is new if no earlier call compared it. Raises an
    // alarm if no expected change explains the difference.
    private static OwnedUser Lists(OwnedUser owned, OwnUserShown shown, ulong covered)
    {
        OwnedList? kept = owned.List is { } list && list.Period == shown.Period ? owned.List : null;
        OwnedUser next = owned;
        // In a new period the numbers of versions start at 1 again. If the owner verified the end of the previous period, the first version
        // must be a copy of the list at that end.
        IReadOnlySet<string>? before = Set(owned.List?.Octets ?? DeviceList.Encode([]));
        bool isLost = kept is null && owned.List is not null && !shown.List.Versions[0].Version.IsCopy;
        if (isLost)
        {
            next =
                next with
                {
                    Alarms = next.Alarms.Add(
                    new UserAlarm(UserAlarmKind.DeviceList, shown.Period, 0, shown.Epoch, Handover: Reason.HandoverMissing))
                };
        }
        foreach (OwnerAlarm again in kept is null ? [] : OwnerRules.SeenAgain(shown.Period, kept.Version, shown.List.Versions, covered))
        {
            var alarm = new UserAlarm(UserAlarmKind.DeviceList, again.Period, again.Version, again.Epoch, again.ValueSha256);
            next = next.Alarms.Contains(alarm) ? next : next with { Alarms = next.Alarms.Add(alarm) };
        }
        foreach (VersionsExchange.TimedVersion shownVersion in shown.List.Versions.Where(
            version => version.Version.Version > (kept?.Version ?? 0)))
        {
            KeyVersion version = shownVersion.Version;
            IReadOnlySet<string>? after = version.Value is { } octets ? Set(octets) : null;
            Reason? handover = version.IsCopy && shown.Handover is not Reason.Valid ? shown.Handover : null;
            bool isSet = version.IsCopy
                && (shown.Handover is Reason.Valid
                    || (shown.Handover is null && owned.List is not null && version.Value is { } copy
                        && copy.Span.SequenceEqual(owned.List.Octets)));
            if (!isSet && handover is null && before is not null && after is not null)
            {
                next = next with { Expected = OwnerOrder.Tick(next.Expected, change => change.Makes(before, after), out isSet) };
            }
            if (!isSet)
            {
                string? hash = version.Value is { } value ? ValueHash.Of(value.Span) : null;
                next =
                    next with
                    {
                        Alarms = next.Alarms.Add(
                        new UserAlarm(UserAlarmKind.DeviceList, shown.Period, version.Version, version.Epoch, hash, Handover: handover))
                    };
            }
            before = after;
        }
        return next with
        {
            List = new OwnedList(
            shown.Period, shown.List.Latest, shown.List.Time, shown.Epoch, shown.LatestList.ToArray())
        };
    }

    private static OwnedUser Left(OwnedUser owned, ulong epoch)
    {
        if (owned.HasLeft)
        {
            return owned;
        }
        int asked = owned.Expected.Select(change => change.Leaves).ToList().IndexOf(true);
        OwnedUser left = owned with { HasLeft = true };
        return asked >= 0
            ? left with { Expected = owned.Expected.RemoveAt(asked) }
            : left with { Alarms = owned.Alarms.Add(new UserAlarm(UserAlarmKind.Left, 0, 0, epoch)) };
    }

    private static HashSet<string> Set(ReadOnlyMemory<byte> list) => new(Ids(list), StringComparer.Ordinal);

    private static ClientState With(ClientState current, string user, OwnedUser owned) =>
        ReferenceEquals(current.OwnedUsers.GetValueOrDefault(user), owned)
            ? current
            : current with { OwnedUsers = current.OwnedUsers.SetItem(user, owned) };
}
