using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>The users that were changed or monitored with this state, each given by one of the user's names.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> OwnedUsers
    {
        get
        {
            ClientState state = _store.Current;
            return
            [
                .. state.OwnedPersons
                    .Select(
                        user => state.OwnPersonOf(user)!.Names.FirstOrDefault()
                            ?? state.Names.Where(name => name.Value.User == user).Select(name => name.Key)
                                .Order(StringComparer.Ordinal).FirstOrDefault())
                    .OfType<string>().Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal).Select(KeyName.FromId),
            ];
        }
    }

    /// <summary>
    /// Verifies every new version of an owned user's device list, and of the key of each device that was ever on the list. New versions are
    /// those since the user was last monitored. Also verifies that no later versions exist, and compares the new versions with the changes
    /// made through this client's state (docs/spec/user-monitor.md). From then on, the client counts the given name as its own. The call
    /// needs an API key, or a token of the user, with the scope <c>history</c>. When no server answers, known alarms stay, and
    /// <see cref="UserAlarms"/> returns them.
    /// </summary>
    /// <param name="username">A username of the user.</param>
    /// <param name="pages">Receives the number of pages read, if the result takes more than one page.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<UserMonitorResult> MonitorUserAsync(
        ReadOnlyMemory<byte> username, IProgress<int>? pages = null, CancellationToken cancellationToken = default)
    {
        KeyName name = UsernameOf(username);
        // Remember the state as it is before the lookups of the names. These lookups may raise alarms, which this call must report as new,
        // too.
        ClientState start = _store.Current;
        (KeyName? found, UserLookupResult? lookup) = await FindOwnAsync(name, cancellationToken, asksAll: true).ConfigureAwait(false);
        if (found is not { } user)
        {
            return new UserMonitorResult(OutcomeOf(lookup!)) { Username = name.Octets, Alarms = UserAlarms(name.Octets), HasNews = true };
        }
        var looks = new List<Look>();
        Outcome outcome = await LookAsync(new UserSubject(user, name), looks, pages, cancellationToken).ConfigureAwait(false);
        // If the client refused the monitoring answer, report this refusal and not a refused lookup of a name, because the monitoring
        // answer tells more. If the lookup was refused only because the log dropped the list, do not report it either: monitoring has
        // already raised a lasting alarm about the list.
        outcome = outcome.Reason == Reason.Valid && lookup is { Reason: not Reason.HandoverMissing } ? OutcomeOf(lookup) : outcome;
        ClientState now = _store.Current;
        var result = new UserMonitorResult(outcome)
        {
            Username = name.Octets,
            User = user.Octets,
            Alarms = AlarmRules.Of(now, user.Id),
            HasNews = true,
            HandedOver = HandedOver(looks),
            NoGuarantee = PersonRules.ListOf(now, user.Id)?.NoGuarantee ?? [],
            Pending = Waiting(now, user.Id, isOvertaken: false),
            Overtaken = Waiting(now, user.Id, isOvertaken: true),
        };
        if (outcome.Reason != Reason.Valid)
        {
            return result;
        }
        ShownVersions shown = looks[^1].Shown;
        IReadOnlyList<UserListVersion> lists = Lists(looks.SelectMany(look => look.NewVersions(look.Shown.Subject)));
        IReadOnlyList<UserDeviceVersions> versions =
        [
            .. looks.SelectMany(look => Devices(look.Shown, look.NewVersions))
                .GroupBy(device => Base64UrlText.Encode(device.Device.Span), StringComparer.Ordinal)
                .Select(device => new UserDeviceVersions(device.First().Device, [.. device.SelectMany(one => one.Versions)]))
                .OrderBy(device => device.Device, DeviceList.Order),
        ];
        return result with
        {
            HasNews = lists.Count > 0 || versions.Any(device => device.Versions.Count > 0)
                || result.Alarms.Except(AlarmRules.Of(start, user.Id)).Any()
                || (shown.HasLeft && start.OwnPersonOf(user.Id) is not { HasLeft: true })
                || result.NoGuarantee.Count > (PersonRules.ListOf(start, user.Id)?.NoGuarantee.Length ?? 0),
            HasLeft = shown.HasLeft,
            ListVersion = shown.Latest,
            Devices = shown.HasLeft ? [] : DeviceList.Decode(shown.LatestList),
            NewLists = lists,
            NewVersions = versions,
        };
    }

    /// <summary>
    /// Asks for every version of a user's device list in the current period, and of the key of each device that was ever on the list. All
    /// parts of the result are true at the epoch of one record. The call needs an API key, or a token of the user, with the scope
    /// <c>history</c>.
    /// </summary>
    /// <param name="username">A username of the user.</param>
    /// <param name="pages">Receives the number of pages read, if the result takes more than one page.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<UserHistoryResult> UserHistoryAsync(
        ReadOnlyMemory<byte> username, IProgress<int>? pages = null, CancellationToken cancellationToken = default)
    {
        KeyName name = UsernameOf(username);
        (KeyName? found, UserLookupResult? lookup) = await FindOwnAsync(name, cancellationToken).ConfigureAwait(false);
        if (found is not { } user)
        {
            return new UserHistoryResult(OutcomeOf(lookup!)) { Username = name.Octets };
        }
        (Outcome outcome, ShownVersions? shown) =
            await ReadAsync(new UserSubject(user, name), default, pages, cancellationToken).ConfigureAwait(false);
        return History(name, user, outcome, shown);
    }

    /// <summary>
    /// Asks for every version in one period of a user's device list and of the keys of the user's devices, up to the last epoch of the
    /// period if the period has ended. Throws <see cref="ArgumentOutOfRangeException"/> if the log has not begun the period, and
    /// <see cref="OptiksServerException"/> with the problem <c>period-gone</c> if servers no longer serve the period. The call needs an API
    /// key, or a token of the user, with the scope <c>history</c>.
    /// </summary>
    /// <param name="username">A username of the user.</param>
    /// <param name="period">The period.</param>
    /// <param name="pages">Receives the number of pages read, if the result takes more than one page.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<UserHistoryResult> UserHistoryAsync(
        ReadOnlyMemory<byte> username, ulong period, IProgress<int>? pages = null, CancellationToken cancellationToken = default)
    {
        KeyName name = UsernameOf(username);
        (KeyName? found, UserLookupResult? lookup) = await FindOwnAsync(name, cancellationToken).ConfigureAwait(false);
        if (found is not { } user)
        {
            return new UserHistoryResult(OutcomeOf(lookup!)) { Username = name.Octets };
        }
        return await HistoryAsync(name, user, period, pages, cancellationToken).ConfigureAwait(false);
    }

    private async Task<UserHistoryResult> HistoryAsync(
        KeyName name, KeyName user, ulong period, IProgress<int>? pages, CancellationToken cancellationToken)
    {
        (Outcome outcome, ShownVersions? shown) =
            await ReadPeriodAsync(new UserSubject(user, name), period, pages, cancellationToken).ConfigureAwait(false);
        return History(name, user, outcome, shown);
    }

    /// <summary>Returns the alarms about the user that owns a name, from the state alone, without a request.</summary>
    public IReadOnlyList<UserAlarm> UserAlarms(ReadOnlyMemory<byte> username)
    {
        ClientState state = _store.Current;
        return PersonRules.UserOf(state, UsernameOf(username).Id) is { } user ? AlarmRules.Of(state, user) : [];
    }

    /// <summary>
    /// Returns the alarms of an owned user that earlier calls raised, each with the list or value that the log shows. The owner reads these
    /// lists and values before it calls <see cref="AcknowledgeUserAlarms"/>. The call needs the scope <c>history</c>. If the user has no
    /// alarms, the call sends no request.
    /// </summary>
    public async Task<UserAlarmReview> ReviewUserAlarmsAsync(ReadOnlyMemory<byte> username, CancellationToken cancellationToken = default)
    {
        KeyName name = UsernameOf(username);
        IReadOnlyList<UserAlarm> held = UserAlarms(username);
        ulong current = _store.Current.Head?.Period ?? 0;
        if (!held.Any(alarm => alarm.Version > 0 && alarm.Period == current))
        {
            return new UserAlarmReview(new Outcome(Reason.Valid, null))
            {
                Username = name.Octets,
                Alarms = [.. held.Select(alarm => new ReviewedUserAlarm(alarm, null))],
            };
        }
        string user = PersonRules.UserOf(_store.Current, name.Id)!;
        (Outcome outcome, ShownVersions? shown) =
            await ReadAsync(new UserSubject(new KeyName(KeyName.FromId(user), user), name), default, null, cancellationToken)
                .ConfigureAwait(false);
        return new UserAlarmReview(outcome)
        {
            Username = name.Octets,
            Alarms = shown is null ? [] : [.. held.Select(alarm => Reviewed(alarm, shown)).OfType<ReviewedUserAlarm>()],
        };
    }

    /// <summary>
    /// Ends the given alarms of an owned user, and no others. The user's owner thereby confirms that it knows of the changes that raised
    /// the alarms. Returns the number of alarms that ended.
    /// </summary>
    public int AcknowledgeUserAlarms(ReadOnlyMemory<byte> username, IReadOnlyCollection<UserAlarm> alarms)
    {
        ArgumentNullException.ThrowIfNull(alarms);
        KeyName name = UsernameOf(username);
        int count = 0;
        _store.TryUpdate(
            current => PersonRules.UserOf(current, name.Id) is { } user
                ? AlarmRules.Acknowledge(current, user, alarms, out count)
                : current, []);
        return count;
    }

    // Finds the user to whom the client's state assigns a name, and first looks up the user's own names. If `asksAll` is true, it looks up
    // all of these names. Otherwise it looks up only those names that no answer has shown to lead to the user. The client thus learns of a
    // name that leads elsewhere before it asks about the user. The returned user is null if no user has the name. It is also null if the
    // client refuses the answer about a name that no earlier answer has shown to lead to the user. The call also returns a refused lookup.
    private async Task<(KeyName? User, UserLookupResult? Lookup)> FindOwnAsync(
        KeyName name, CancellationToken cancellationToken, bool asksAll = false)
    {
        ClientState state = _store.Current;
        string? own = PersonRules.UserOf(state, name.Id);
        string[] asked = own is null
            ? asksAll || state.Names.GetValueOrDefault(name.Id)?.User is null ? [name.Id] : []
            : [.. state.OwnPersonOf(own)!.Names.Where(id => asksAll || state.Names.GetValueOrDefault(id)?.User != own)];
        UserLookupResult? refused = null;
        foreach (string[] batch in asked.Chunk(MaxKeys))
        {
            IReadOnlyList<UserLookupResult> lookups = await LookupUserBatchAsync(
                [.. batch.Select(id => (new KeyName(KeyName.FromId(id), id), default(KeyName?)))], 0, cancellationToken, ofOwner: true)
                .ConfigureAwait(false);
            if (lookups.FirstOrDefault(lookup => !lookup.IsValid || (own is null && lookup.User is null)) is { } nobody)
            {
                if (own is null || batch.Any(id => state.Names.GetValueOrDefault(id)?.User != own))
                {
                    return (null, nobody);
                }
                refused ??= nobody;
            }
        }
        string user = own ?? _store.Current.Names[name.Id].User!;
        return (new KeyName(KeyName.FromId(user), user), refused);
    }

    private static int Waiting(ClientState state, string user, bool isOvertaken)
    {
        OwnPerson own = state.OwnPersonOf(user) ?? new OwnPerson();
        var list = StructureKey.OfList(user);
        IEnumerable<string> added = state.OwnOf(list)?.Expected.SelectMany(change => change.Added) ?? [];
        return (isOvertaken ? 0 : own.Leaving.Length)
            + own.Followed.Union(added).Select(StructureKey.OfKey).Append(list)
                .Sum(chain => state.OwnOf(chain)?.Expected.Count(change => change.IsOvertaken == isOvertaken) ?? 0);
    }

    private static UserHistoryResult History(KeyName name, KeyName user, Outcome outcome, ShownVersions? shown)
    {
        var result = new UserHistoryResult(outcome) { Username = name.Octets, User = user.Octets };
        return shown is null ? result : result with
        {
            HasLeft = shown.HasLeft,
            Lists = Lists(shown.VersionsAfter(shown.Subject, 0)),
            Devices = [.. Devices(shown, chain => shown.VersionsAfter(chain, 0))],
        };
    }

    private static IReadOnlyList<UserListVersion> Lists(IEnumerable<KeyVersion> versions) =>
    [
        .. versions.Select(version => new UserListVersion(
            version.Version, version.Epoch, version.Value is { } octets ? DeviceList.Decode(octets) : null) { Period = version.Period }),
    ];

    private static IEnumerable<UserDeviceVersions> Devices(ShownVersions shown, Func<StructureKey, IEnumerable<KeyVersion>> versions) =>
        shown.Chains.Keys.Where(chain => chain.Structure == StructureId.Keys)
            .Select(chain => new UserDeviceVersions(KeyName.FromId(chain.Id), [.. versions(chain)]))
            .OrderBy(device => device.Device, DeviceList.Order);

    // Returns the alarm with its list or value; null if the result does not show the alarm's version. An erased list or value is null,
    // because nobody can show it any more.
    private static ReviewedUserAlarm? Reviewed(UserAlarm alarm, ShownVersions shown)
    {
        StructureKey chain = alarm.Device is null ? shown.Subject : StructureKey.OfKey(alarm.Device);
        KeyVersion? version = shown.Chains.GetValueOrDefault(chain)?.Ended.Versions
            .FirstOrDefault(timed => timed.Version.Version == alarm.Version)?.Version;
        return alarm.Version == 0 || alarm.Period != shown.Period || version is null
            ? new ReviewedUserAlarm(alarm, null)
            : IsOf(alarm.OfChain, version) ? new ReviewedUserAlarm(alarm, version.Value) : null;
    }

    private static Outcome OutcomeOf(UserLookupResult lookup) =>
        new(lookup.Reason, lookup.IsValid ? lookup.Head : null) { EvidencePath = lookup.EvidencePath, Detail = lookup.Detail };
}
