using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Creates a user with these usernames and devices, all in one epoch. When the call returns <see cref="UpdateStatus.Pending"/>, the
    /// server holds the request durably. The client registers the request's changes as expected before it sends the request. Retries use
    /// one request id, from which the client derives the user id. A caller that lost the result repeats the call with the same
    /// <paramref name="requestId"/>. The call needs an API key with the scope <c>update</c>.
    /// </summary>
    /// <param name="usernames">One username or more, without duplicates.</param>
    /// <param name="devices">First devices, possibly none.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw a request that was sent.</param>
    public async Task<UserUpdateResult> CreateUserAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> usernames, IReadOnlyList<UserDeviceValue> devices, Guid? requestId = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(usernames);
        ArgumentNullException.ThrowIfNull(devices);
        if (usernames.Count == 0)
        {
            throw new ArgumentException("A user has at least one username.", nameof(usernames));
        }
        Guid id = RequestIdOf(requestId);
        return await SendAsync(UsernameOf(usernames[0]),
            new UserRequest(id, KeyName.OfVerified(UserIds.FromGuid(id)), Prepared([UserChange.Create(usernames, devices)])),
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Changes the user to whom a username leads. Either one epoch applies all of the changes, or the log applies none of them. Durability,
    /// expected changes and retries are as for <see cref="CreateUserAsync"/>. The client uses the user id that it keeps, or looks the user
    /// up first. Before a change of the device list it also looks up the list. If the lookup shows no user or the client refuses it, the
    /// client sends nothing and the result says so. The call needs an API key with the scope <c>update</c>. A token is enough to change the
    /// token's own user, except to add usernames. Before <see cref="UserChange.Decommission"/> the client monitors the user, which needs
    /// the scope <c>history</c>. If the client refuses that answer, or if there are alarms, the client sends nothing and
    /// <see cref="UserUpdateResult.Look"/> says why.
    /// </summary>
    /// <param name="username">Username of the user.</param>
    /// <param name="changes">Changes, at least one; <see cref="UserChange.Decommission"/> must be the only one.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw a request that was sent.</param>
    public async Task<UserUpdateResult> ChangeUserAsync(
        ReadOnlyMemory<byte> username, IReadOnlyList<UserChange> changes, Guid? requestId = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(changes);
        if (changes.Count == 0 || (changes.Count > 1 && changes.Any(change => change.Operation == UserOperation.Decommission)))
        {
            throw new ArgumentException("A request has at least one change, and leaving is the only one of its request.", nameof(changes));
        }
        Guid id = RequestIdOf(requestId);
        changes = Prepared(changes);
        KeyName name = UsernameOf(username);
        if (changes[0] is { Operation: UserOperation.Decommission, IsUnseen: false })
        {
            UserMonitorResult look = await MonitorUserAsync(username, null, cancellationToken).ConfigureAwait(false);
            var looked = new UserUpdateResult
            {
                Username = name.Octets,
                User = look.User,
                Changes = changes,
                RequestId = id,
                Status = UpdateStatus.Refused,
                Look = look,
                RefusedBecause = look is { IsValid: true, User: null } ? "user-unknown" : null,
            };
            return look is { IsValid: true, User: { } seen, Alarms.Count: 0 }
                ? await SendAsync(name, new UserRequest(id, KeyName.OfVerified(seen), changes), cancellationToken)
                    .ConfigureAwait(false) with
                { Look = look }
                : looked;
        }
        (ReadOnlyMemory<byte>? user, UserLookupResult? lookup) =
            await FindUserAsync(name, NeedsList(name, id, changes), cancellationToken).ConfigureAwait(false);
        return user is { } found
            ? await SendAsync(name, new UserRequest(id, KeyName.OfVerified(found), changes), cancellationToken).ConfigureAwait(false)
            : new UserUpdateResult
            {
                Username = name.Octets,
                User = null,
                Changes = changes,
                RequestId = id,
                Status = UpdateStatus.Refused,
                RefusedBecause = lookup!.IsValid ? "user-unknown" : null,
                Lookups = [lookup],
            };
    }

    // To confirm a change of the list, the client needs the list version before the change, so it looks that version up. It makes no lookup
    // if an earlier call already sent this request. In that case the log may have published the request by now, but the list in the state
    // is still the version before the change.
    private bool NeedsList(KeyName name, Guid request, IReadOnlyList<UserChange> changes) =>
        changes.Any(change => change.Operation is UserOperation.AddDevice or UserOperation.RemoveDevice)
        && !(KnownUser(name) is { } user
            && PersonRules.ListOf(_store.Current, user)?.Expected.Any(sent => sent.RequestId == request) == true);

    // Returns the first of these that exists: the owned user that claims the name, the user to whom the name is known to lead, or the user
    // that a lookup shows. If there is no such user, returns null and the lookup, which shows no user or is refused.
    private async Task<(ReadOnlyMemory<byte>? User, UserLookupResult? Lookup)> FindUserAsync(
        KeyName name, bool looks, CancellationToken cancellationToken)
    {
        if (!looks && KnownUser(name) is { } kept)
        {
            return (KeyName.FromId(kept), null);
        }
        UserLookupResult lookup = (await LookupUserBatchAsync([(name, null)], 0, cancellationToken).ConfigureAwait(false))[0];
        return (lookup.IsValid && KnownUser(name) is { } known ? KeyName.FromId(known) : lookup.User, lookup);
    }

    private string? KnownUser(KeyName name) =>
        PersonRules.UserOf(_store.Current, name.Id) ?? _store.Current.Names.GetValueOrDefault(name.Id)?.User;

    /// <summary>
    /// Makes the user leave for good, and waits for the proof that it has left. When the call returns with
    /// <see cref="UserUpdateResult.Confirmed"/>, the client has verified an answer that shows that the user has left. If the request is
    /// still pending after <paramref name="atMost"/>, the result's status is pending, and the same call with the result's request id
    /// continues the wait.
    /// </summary>
    /// <param name="username">Username of the user.</param>
    /// <param name="atMost">The longest time to wait.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="unseen">
    /// True to make the user leave even if the owner has not monitored the user first, or if the user has alarms.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw a request that was sent.</param>
    public async Task<UserUpdateResult> DecommissionUserAsync(
        ReadOnlyMemory<byte> username, TimeSpan atMost, Guid? requestId = null, bool unseen = false,
        CancellationToken cancellationToken = default)
    {
        UserUpdateResult sent =
            await ChangeUserAsync(username, [UserChange.Decommission(unseen)], requestId, cancellationToken).ConfigureAwait(false);
        return sent.Status == UpdateStatus.Pending ? await WaitAsync(sent, atMost, cancellationToken).ConfigureAwait(false) : sent;
    }

    /// <summary>
    /// Waits until a pending request about a user is published or refused. The client then proves by lookups, at the epoch of publication
    /// or later, that the log shows the requested changes. It checks that each requested username leads to the user. It checks the devices
    /// with their values, and that the request turned the previous list version into the published one. For a user who leaves, the client
    /// checks only that the user has left. If a later version hides a version that the client needs, the client asks for the history, which
    /// needs the scope <c>history</c>. If the request is still pending after <paramref name="atMost"/>, the result's status is pending.
    /// </summary>
    public async Task<UserUpdateResult> WaitAsync(UserUpdateResult pending, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(pending);
        RequestOutcome outcome = await StatusAsync(pending.RequestId, atMost, cancellationToken).ConfigureAwait(false);
        switch (outcome.Status)
        {
            case UpdateStatus.Published:
                return await ConfirmAsync(
                    pending with
                    {
                        Status = outcome.Status,
                        Epoch = outcome.Epoch,
                        Items = UserRequest.WithKeys(outcome.Items, pending.User!.Value, pending.Changes),
                    }, cancellationToken).ConfigureAwait(false);
            case UpdateStatus.Refused:
                var request = new UserRequest(pending.RequestId, KeyName.OfVerified(pending.User!.Value), pending.Changes);
                _store.TryUpdate(current => request.Forget(current, null), []);
                return pending with { Status = outcome.Status, RefusedBecause = outcome.RefusedBecause, Current = outcome.Current };
            default:
                return pending;
        }
    }

    private async Task<UserUpdateResult> SendAsync(KeyName username, UserRequest request, CancellationToken cancellationToken)
    {
        Uri server = UpdateUrl();
        var result = new UserUpdateResult
        {
            Username = username.Octets,
            User = request.User.Octets,
            Changes = request.Changes,
            RequestId = request.Id,
            Status = UpdateStatus.Pending,
        };
        if (await FindRefusedHeadAsync(cancellationToken).ConfigureAwait(false) is { } refused)
        {
            return result with { Status = UpdateStatus.Refused, Lookups = [new UserLookupResult(refused) { Username = username.Octets }] };
        }
        await SendAsync(
            new ServerRequest(server, "/v1/users", MediaTypes.Json, MaxStatusLength)
            {
                Body = (request.Body(), MediaTypes.Json),
                Authorize = true,
            }, request.Expect, request.Forget, cancellationToken)
            .ConfigureAwait(false);
        return result;
    }

    // Validates the changes, and returns them with normalized usernames.
    private IReadOnlyList<UserChange> Prepared(IReadOnlyList<UserChange> changes)
    {
        foreach (UserDeviceValue device in changes.SelectMany(change => change.Devices))
        {
            NameOf(device.Device, "device id");
            RequireValue(device.Value);
        }
        foreach (ReadOnlyMemory<byte> removed in changes.Select(change => change.Removed).OfType<ReadOnlyMemory<byte>>())
        {
            NameOf(removed, "device id");
        }
        return [.. changes.Select(
            change => change with { Usernames = [.. change.Usernames.Select(username => UsernameOf(username).Octets)] })];
    }

    private async Task<UserUpdateResult> ConfirmAsync(UserUpdateResult published, CancellationToken cancellationToken)
    {
        KeyName[] names = [.. published.Changes.SelectMany(change => change.Usernames).Prepend(published.Username)
            .Select(KeyName.OfVerified).DistinctBy(name => name.Id)];
        // Read the known lists before the lookups, because the lookups replace the previous version in the state with the version that the
        // request made.
        KnownLists lists = KnownLists.Kept(_store.Current, _store, KeyName.OfVerified(published.User!.Value).Id);
        var lookups = new List<UserLookupResult>(names.Length);
        foreach (KeyName[] batch in names.Chunk(MaxKeys))
        {
            lookups.AddRange(
                await LookupUserBatchAsync([.. batch.Select(name => (name, default(KeyName?)))], published.Epoch!.Value, cancellationToken)
                    .ConfigureAwait(false));
        }
        UserUpdateResult result = published with { Lookups = lookups };
        if (lookups.Exists(lookup => !lookup.IsValid))
        {
            return result with { Confirmation = UpdateConfirmation.Unproven };
        }
        var histories = new Dictionary<string, ReadOnlyMemory<byte>?>(StringComparer.Ordinal);
        UserUpdateResult judged = UserConfirmation.Judge(
            result, histories, lists.With(lookups[0]), out IReadOnlyList<(KeyName Device, KeyVersionNumber Version)> hidden);
        KeyVersionNumber? missing = UserConfirmation.MissingList(result, lists);
        if (judged.Confirmation != UpdateConfirmation.Unproven || (hidden.Count == 0 && missing is null))
        {
            return judged;
        }
        if (missing is { } listed)
        {
            UserHistoryResult shown;
            try
            {
                shown = await HistoryAsync(names[0], KeyName.OfVerified(result.User!.Value), listed.Period, null, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (OptiksServerException e)
            {
                return UserConfirmation.Unproven(result, $"the server gave no history: {e.Message}");
            }
            if (!shown.IsValid || shown.HasLeft || !lists.With(shown).TryFind(listed, out _))
            {
                return !shown.IsValid ? UserConfirmation.Unproven(result, "the server gave no valid history") with { History = shown }
                    : shown.HasLeft ? UserConfirmation.Unproven(result, "the user has left since")
                    : UserConfirmation.Contradicted(result, "the log has no such device list");
            }
        }
        foreach ((KeyName device, KeyVersionNumber version) in hidden)
        {
            VersionsRun run;
            try
            {
                run = await FindVersionsAsync(device, [version], lookups[0].Epoch, cancellationToken).ConfigureAwait(false);
            }
            catch (OptiksServerException e)
            {
                return UserConfirmation.Unproven(result, $"the server gave no history: {e.Message}");
            }
            if (run.Versions.Count != 1)
            {
                HistoryResult refused = History(device.Octets, run);
                return UserConfirmation.Unproven(
                    result, "the server gave no valid history") with
                { History = refused.IsValid ? null : refused };
            }
            histories[device.Id] = run.Versions[0].Version.Value;
        }
        return UserConfirmation.Judge(result, histories, lists, out _);
    }
}
