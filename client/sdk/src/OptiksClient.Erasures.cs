using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    /// <summary>
    /// Erases superseded values of a key for good. The log never erases the latest value (docs/spec/erasure.md). When the call returns
    /// <see cref="ErasureStatus.Pending"/>, the server holds the request durably. Retries use one request id. An owner should monitor the
    /// key first. After the erasure nobody can show a version that the owner has not seen yet, and that version becomes an alarm. The call
    /// needs an API key or token with the scope <c>erase</c>.
    /// </summary>
    /// <param name="key">Key, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> octets.</param>
    /// <param name="from">First version, 1 or more.</param>
    /// <param name="to">Last version. One request erases at most <see cref="ProtocolLimits.MaxErasures"/> versions.</param>
    /// <param name="period">Period of the versions (<see cref="KeyVersionNumber.Period"/>). If null, the period in which this client
    /// verified the owned key's versions. For a key that is not owned, the period of the newest record that this client verified.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw a request that was sent.</param>
    public async Task<ErasureResult> EraseAsync(
        ReadOnlyMemory<byte> key, ulong from, ulong to, ulong? period = null, Guid? requestId = null,
        CancellationToken cancellationToken = default)
    {
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        var request = new ErasureResult
        {
            Structure = StructureId.Keys,
            Key = name.Octets,
            Versions = Versions(from, to),
            RequestId = RequestIdOf(requestId),
            Status = ErasureStatus.Pending,
        };
        // The request names a period. A client that has verified no answer yet knows no period, so it first asks which one is current.
        return await FindRefusedHeadAsync(cancellationToken).ConfigureAwait(false) is { } refused
            ? request with { Status = ErasureStatus.Refused, Lookup = new UserLookupResult(refused) { Username = default } }
            : await SendAsync(request with { Period = period ?? VerifiedPeriod(name) }, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Erases superseded versions of a user's device list, or everything of a user who has left. "Everything" is every list, and every key
    /// of the devices that these lists name. In all other respects the call works like <see cref="EraseAsync"/>. The client uses the user
    /// id that it keeps, or looks the user up first. If the lookup shows no user or is refused, nothing is sent and the result says so.
    /// </summary>
    /// <param name="username">Username of the user.</param>
    /// <param name="versions">
    /// The first and the last version of the list to erase. Null erases everything, which is possible only once the user has left.
    /// </param>
    /// <param name="period">Period of the versions, as in <see cref="EraseAsync"/>; unused without versions.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw a request that was sent.</param>
    public async Task<ErasureResult> EraseUserAsync(
        ReadOnlyMemory<byte> username, (ulong From, ulong To)? versions = null, ulong? period = null, Guid? requestId = null,
        CancellationToken cancellationToken = default)
    {
        KeyName name = UsernameOf(username);
        var request = new ErasureResult
        {
            Structure = StructureId.Devices,
            Username = name.Octets,
            Versions = versions is { } range ? Versions(range.From, range.To) : null,
            RequestId = RequestIdOf(requestId),
            Status = ErasureStatus.Pending,
        };
        // Read the period before the lookup, because the lookup may be the first answer that shows another period.
        ulong? known = _store.Current.Head?.Period;
        (ReadOnlyMemory<byte>? user, UserLookupResult? lookup) = await FindUserAsync(name, false, cancellationToken).ConfigureAwait(false);
        return user is null
            ? request with { Status = ErasureStatus.Refused, Lookup = lookup, RefusedBecause = lookup!.IsValid ? "user-unknown" : null }
            : await SendAsync(
                request with
                {
                    User = user,
                    Period = versions is null
                        ? null
                        : period ?? ListPeriod(KeyName.OfVerified(user.Value)) ?? known ?? _store.Current.Head!.Period,
                }, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Waits until a pending erasure is done or refused, and finds out until when a replica may still serve a copy of the values. If the
    /// client refuses an answer while it waits, the result's <see cref="ErasureResult.Lookup"/> is that answer, and the caller must not
    /// believe the server's statement that it erased the values. If the request is still pending after <paramref name="atMost"/>, the
    /// result's status is pending.
    /// </summary>
    public async Task<ErasureResult> WaitAsync(ErasureResult pending, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(pending);
        Uri server = UpdateUrl();
        ErasureResult result = await PollAsync(
            $"/v1/erasures/{pending.RequestId:D}", atMost,
            answer => ErasureJson.Read(answer, pending, server, _store.Current.Head?.Period ?? ulong.MaxValue),
            now => now.Status == ErasureStatus.Pending, cancellationToken).ConfigureAwait(false);
        return result is { Status: ErasureStatus.Erased, Epoch: { } epoch }
            ? await BoundAsync(result, epoch, cancellationToken).ConfigureAwait(false)
            : result;
    }

    // Finds out until when a replica may serve the erased values. A replica that makes no progress serves the epochs before the erasing
    // epoch until they are too old for clients. If only the record of a later epoch is available, its time gives a later bound, which is
    // also true.
    private async Task<ErasureResult> BoundAsync(ErasureResult erased, ulong epoch, CancellationToken cancellationToken)
    {
        VerifiedAnswer shown;
        try
        {
            shown = erased.Structure == StructureId.Keys
                ? (await LookupBatchAsync([KeyName.OfVerified(erased.Key!.Value)], epoch, cancellationToken).ConfigureAwait(false))[0]
                : (await LookupUserBatchAsync([(KeyName.OfVerified(erased.Username!.Value), null)], epoch, cancellationToken)
                    .ConfigureAwait(false))[0];
        }
        catch (OptiksServerException)
        {
            // Ignore the failure: the bound stays unknown, but the result is usable without it.
            return erased;
        }
        return shown.IsValid
            ? erased with { ServedUntil = shown.Head!.Time.AddMilliseconds(_options.TrustAnchor.Configuration.MaxBehindMs) }
            : erased with { Lookup = shown };
    }

    private async Task<ErasureResult> SendAsync(ErasureResult request, CancellationToken cancellationToken)
    {
        if (Stopped() is { } stopped)
        {
            VerifiedAnswer refused = request.Structure == StructureId.Keys
                ? new LookupResult(stopped) { Key = request.Key!.Value }
                : new UserLookupResult(stopped) { Username = request.Username!.Value };
            return request with { Status = ErasureStatus.Refused, Lookup = refused };
        }
        var sent = new ServerRequest(UpdateUrl(), "/v1/erasures", MediaTypes.Json,
            MaxStatusLength)
        { Body = (ErasureJson.Body(request), MediaTypes.Json), Authorize = true };
        await RetryAsync(sent, cancellationToken).ConfigureAwait(false);
        return request;
    }

    // An owner's version numbers belong to the period in which it verified them, even if a later lookup showed the next period. If the log
    // is already in the next period, it refuses the request, and the owner must monitor the key first.
    private ulong VerifiedPeriod(KeyName key) =>
        _store.Current.OwnOf(StructureKey.OfKey(key.Id))?.At is { Version: > 0 } at ? at.Period : _store.Current.Head!.Period;

    private ulong? ListPeriod(KeyName user) =>
        PersonRules.ListOf(_store.Current, user.Id)?.At is { Version: > 0 } at ? at.Period : null;

    private static (ulong From, ulong To) Versions(ulong from, ulong to) =>
        from >= 1 && from <= to && to - from < ProtocolLimits.MaxErasures
        ? (from, to)
        : throw new ArgumentException(
            $"An erasure is of versions from 1 on, of {ProtocolLimits.MaxErasures} of them at most, not of {from} to {to}.", nameof(from));
}
