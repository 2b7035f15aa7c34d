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
        var looks = new List<UserLook>();
        Outcome outcome = await MonitorAsync(name, user, looks, pages, cancellationToken).ConfigureAwait(false);
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
            HandedOver = [.. looks.Where(look => look.Shown.IsHandedOver).Select(look => look.Shown.Period - 1)],
            NoGuarantee = PersonRules.ListOf(now, user.Id)?.NoGuarantee ?? [],
            Pending = Waiting(now, user.Id, isOvertaken: false),
            Overtaken = Waiting(now, user.Id, isOvertaken: true),
        };
        if (outcome.Reason != Reason.Valid)
        {
            return result;
        }
        OwnUserShown shown = looks[^1].Shown;
        IReadOnlyList<UserListVersion> lists = [.. looks.SelectMany(look => Lists(look.Shown, look.ListVersion))];
        IReadOnlyList<UserDeviceVersions> versions =
        [
            .. looks.SelectMany(look => Versions(look.Shown, look.KeyVersion))
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
            ListVersion = shown.List.Latest,
            Devices = shown.HasLeft ? [] : DeviceList.Decode(shown.LatestList),
            NewLists = lists,
            NewVersions = versions,
        };
    }

    // Monitors all periods from the one in which the owner continues to the current one. Step 1 of a hand-over asks for the versions up to
    // the end of a period. Step 2 asks for the versions of the next period. Returns the outcome of the last question.
    private async Task<Outcome> MonitorAsync(
        KeyName name, KeyName user, List<UserLook> looks, IProgress<int>? pages, CancellationToken cancellationToken)
    {
        while (true)
        {
            ClientState state = _store.Current;
            Own? list = PersonRules.ListOf(state, user.Id);
            ulong? from = state.OwnPersonOf(user.Id)?.GoesOnFrom;
            EpochRecord? end = from is { } period ? state.EndOf(period) : null;
            bool isVerified = end is not null && list?.List is not null && OwnRules.IsVerifiedTo(list, end);
            EpochRecord? asked = isVerified ? state.EndOf(end!.Period + 1) : end;
            if (asked is not null && list?.List is null && OwnNames.LedNowhere(state, _store, user.Id, asked.Epoch))
            {
                // Verified answers show that no name led to the user in that period, so no server could answer about the user there.
                _store.TryUpdate(
                    current => PersonRules.ListOf(current, user.Id)?.List is null && current.OwnPersonOf(user.Id)?.GoesOnFrom == from
                        ? PersonRules.BeginAfter(current, user.Id, asked, CoverageOf(current)) : current, []);
                continue;
            }
            try
            {
                (Outcome<UserMonitorExchange.Learnt> outcome, OwnUserShown? shown) = await RunAsync(
                    OwnUserPages.Of(user, state, isVerified ? end : null, asked, CoverageOf(state)),
                    (current, result) => PersonRules.Apply(PersonRules.Claim(current, user.Id, [name.Id]), result,
                        CoverageOf(current).First ?? 0), pages, cancellationToken)
                    .ConfigureAwait(false);
                if (outcome.IsOvertaken)
                {
                    continue;
                }
                if (shown is not null)
                {
                    looks.Add(new UserLook(shown, state));
                }
                if (shown is null || asked is null)
                {
                    return outcome;
                }
            }
            catch (OptiksServerException e) when (asked is not null && IsEndMissing(e))
            {
                // If the user has left, the log may have erased its values, and nobody can show them any more. So the client believes the
                // server's report without further checks.
                if (e.Problem != ProblemNames.Erased || !IsLeft(user.Id))
                {
                    await ThrowUnlessMissingAsync(e, asked.Period, next => HasErasedCopyAsync(name, user, next, cancellationToken),
                        cancellationToken).ConfigureAwait(false);
                }
                _store.TryUpdate(
                    current => current.OwnPersonOf(user.Id)?.GoesOnFrom == from
                        ? PersonRules.Miss(current, user.Id, asked)
                        : current, []);
            }
        }
    }

    private bool IsLeft(string user) => _store.Current.LeftEpochOf(user) is not null;

    private async Task<bool> HasErasedCopyAsync(KeyName name, KeyName user, ulong period, CancellationToken cancellationToken)
    {
        UserHistoryResult shown = await HistoryAsync(name, user, period, null, cancellationToken).ConfigureAwait(false);
        return shown.Lists is [{ IsCopy: true, Devices: null }, ..]
            || shown.Devices.Any(device => device.Versions is [{ IsCopy: true, Value: null }, ..]);
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
        return found is not { } user
            ? new UserHistoryResult(OutcomeOf(lookup!)) { Username = name.Octets }
            : await HistoryAsync(name, user, default(ReadOnlyMemory<byte>), pages, cancellationToken).ConfigureAwait(false);
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
        (Outcome<IReadOnlyList<byte[]>> periods, byte[]? ended) = await FindEndAsync(period, cancellationToken).ConfigureAwait(false);
        return periods.Reason != Reason.Valid ? new UserHistoryResult(periods) { Username = name.Octets, User = user.Octets }
            : ended is not null || periods.Head!.Period == period
                ? await HistoryAsync(name, user, ended, pages, cancellationToken).ConfigureAwait(false)
            : throw NotBegun(period, periods.Head.Period);
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
        (Outcome outcome, OwnUserShown? shown) =
            await ReadAsync(new KeyName(KeyName.FromId(user), user), default, null, cancellationToken).ConfigureAwait(false);
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

    private async Task<UserHistoryResult> HistoryAsync(
        KeyName name, KeyName user, ReadOnlyMemory<byte> endedRecord, IProgress<int>? pages, CancellationToken cancellationToken)
    {
        (Outcome outcome, OwnUserShown? shown) = await ReadAsync(user, endedRecord, pages, cancellationToken).ConfigureAwait(false);
        var result = new UserHistoryResult(outcome) { Username = name.Octets, User = user.Octets };
        return shown is null ? result : result with { HasLeft = shown.HasLeft, Lists = Lists(shown, 0), Devices = Versions(shown, _ => 0) };
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

    // Reads all versions of the current period, or, if `endedRecord` is not empty, of the period that ended with that record.
    private async Task<(Outcome Outcome, OwnUserShown? Shown)> ReadAsync(
        KeyName user, ReadOnlyMemory<byte> endedRecord, IProgress<int>? pages, CancellationToken cancellationToken)
    {
        while (true)
        {
            (Outcome<UserMonitorExchange.Learnt> outcome, OwnUserShown? shown) =
                await RunAsync(new OwnUserPages(user) { EndedRecord = endedRecord }, (current, _) => current, pages, cancellationToken)
                    .ConfigureAwait(false);
            if (!outcome.IsOvertaken)
            {
                return (outcome, shown);
            }
        }
    }

    private async Task<(Outcome<UserMonitorExchange.Learnt> Outcome, OwnUserShown? Shown)> RunAsync(
        OwnUserPages pages, Func<ClientState, OwnUserShown, ClientState> remember, IProgress<int>? progress,
        CancellationToken cancellationToken)
    {
        long started = _time.GetTimestamp();
        while (true)
        {
            Outcome<UserMonitorExchange.Learnt> outcome =
                await _exchanger.RunAsync(new UserMonitorExchange(pages, remember), cancellationToken).ConfigureAwait(false);
            if (outcome.Learnt is not { Result: null } learnt)
            {
                return (outcome, outcome.Learnt?.Result!.Shown);
            }
            pages.Add(learnt.Page);
            progress?.Report(pages.Count);
            RequireEnd(pages.Count, pages.Octets, started);
        }
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

    private static IReadOnlyList<UserListVersion> Lists(OwnUserShown shown, ulong after) => shown.HasLeft ? [] :
    [
        .. shown.List.Versions.Where(
            version => version.Version.Version > after && !(version.Version.IsCopy && shown.Handover == Reason.Valid)).Select(version =>
            new UserListVersion(version.Version.Version, version.Version.Epoch,
                version.Version.Value is { } octets ? DeviceList.Decode(octets) : null) { Period = shown.Period }),
    ];

    private static IReadOnlyList<UserDeviceVersions> Versions(OwnUserShown shown, Func<string, ulong> after) =>
    [
        .. shown.Devices.Values.OrderBy(device => device.Name.Octets, DeviceList.Order).Select(device =>
            new UserDeviceVersions(device.Name.Octets,
                [.. device.Ended.Versions.Select(version => version.Version)
                    .Where(version => version.Version > after(device.Name.Id) && !(version.IsCopy && device.Handover == Reason.Valid))])),
    ];

    // Returns the alarm with its list or value; null if the result does not show the alarm's version. An erased list or value is null,
    // because nobody can show it any more.
    private static ReviewedUserAlarm? Reviewed(UserAlarm alarm, OwnUserShown shown)
    {
        IReadOnlyList<TimedVersion> versions = alarm.Device is null
            ? shown.List.Versions ?? []
            : shown.Devices.GetValueOrDefault(alarm.Device)?.Ended.Versions ?? [];
        KeyVersion? version = versions.FirstOrDefault(timed => timed.Version.Version == alarm.Version)?.Version;
        return alarm.Version == 0 || alarm.Period != shown.Period || version is null
            ? new ReviewedUserAlarm(alarm, null)
            : IsOf(alarm.OfChain, version) ? new ReviewedUserAlarm(alarm, version.Value) : null;
    }

    private static Outcome OutcomeOf(UserLookupResult lookup) =>
        new(lookup.Reason, lookup.IsValid ? lookup.Head : null) { EvidencePath = lookup.EvidencePath, Detail = lookup.Detail };

    // A result, with the client's state as it was before the result.
    private sealed record UserLook(OwnUserShown Shown, ClientState Before)
    {
        public ulong ListVersion => VersionOf(StructureKey.OfList(Shown.User.Id));

        public ulong KeyVersion(string id) => VersionOf(StructureKey.OfKey(id));

        private ulong VersionOf(StructureKey chain) => Before.OwnOf(chain)?.At is { } at && at.Period == Shown.Period ? at.Version : 0;
    }
}
