using System.Buffers;
using System.Net;
using System.Runtime.ExceptionServices;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    private const int MaxStatusLength = 1 << 20;
    private const int LongestServerWaitSeconds = 30;

    /// <summary>
    /// Sets a key's value. When the call returns <see cref="UpdateStatus.Pending"/>, the server holds the update durably. The client
    /// registers the change as expected before it sends the update, so that monitoring raises no alarm for it. Retries use one request id,
    /// so that the log applies the update only once. A caller that lost the result repeats the call with the same
    /// <paramref name="requestId"/>. A client that has verified nothing yet verifies the newest epoch first. If the client refuses that
    /// epoch, or has written evidence of a fork, it sends nothing, and <see cref="UpdateResult.Lookup"/> says why. The call needs an API
    /// key or token with the scope <c>update</c>.
    /// </summary>
    /// <param name="key">Key, 1 to <see cref="ProtocolLimits.MaxKeyLength"/> octets.</param>
    /// <param name="value">Value, at most as long as the log's configuration allows.</param>
    /// <param name="expected">Version that must be the latest when the update is applied; null for any version.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours (<see cref="NewRequestId"/>); null for a new id.</param>
    /// <param name="cancellationToken">Cancels the wait. It does not withdraw an update that was sent.</param>
    public async Task<UpdateResult> UpdateAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, KeyVersionNumber? expected = null, Guid? requestId = null,
        CancellationToken cancellationToken = default) =>
        (await SendUpdateAsync(key, value, expected, requestId, wantsReceipt: false, cancellationToken).ConfigureAwait(false)).Result;

    private async Task<(UpdateResult Result, byte[] Answer)> SendUpdateAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, KeyVersionNumber? expected, Guid? requestId, bool wantsReceipt,
        CancellationToken cancellationToken)
    {
        Uri server = UpdateUrl();
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        RequireValue(value);
        Guid id = RequestIdOf(requestId);
        string hash = ValueHash.Of(value.Span);
        var result = new UpdateResult { Key = key, RequestId = id, ValueSha256 = hash, Status = UpdateStatus.Pending };
        if (await FindRefusedHeadAsync(cancellationToken).ConfigureAwait(false) is { } refused)
        {
            return (result with { Status = UpdateStatus.Refused, Lookup = new LookupResult(refused) { Key = key } }, []);
        }
        byte[] answer = await SendAsync(
            new ServerRequest(server, "/v1/updates", MediaTypes.Json,
                MaxStatusLength)
            { Body = (Body(id, name, value, expected, wantsReceipt), MediaTypes.Json), Authorize = true },
            current => OwnRules.Expect(current, StructureKey.OfKey(name.Id), new Expected(id, hash)),
            (current, before) => OwnRules.Forget(current, StructureKey.OfKey(name.Id), id, before), cancellationToken).ConfigureAwait(false);
        return (result, answer);
    }

    /// <summary>Returns a new request id, for a caller that must know an update's id before it sends the update.</summary>
    public Guid NewRequestId() => Guid.CreateVersion7(_time.GetUtcNow());

    /// <summary>
    /// Waits until a pending update is published or refused. The client then proves that the log has the value under the version that the
    /// server names. It uses a lookup at the epoch of publication or later. If that lookup already shows a later version, it also uses the
    /// key's history, which needs the scope <c>history</c>. If the update is still pending after <paramref name="atMost"/>, the result's
    /// status is pending.
    /// </summary>
    public async Task<UpdateResult> WaitAsync(UpdateResult pending, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(pending);
        KeyName name = KeyName.Of(pending.Key, _options.TrustAnchor);
        RequestOutcome outcome = await StatusAsync(pending.RequestId, atMost, cancellationToken).ConfigureAwait(false);
        switch (outcome.Status)
        {
            case UpdateStatus.Published:
                return await ConfirmAsync(
                    name, pending with { Status = outcome.Status, Epoch = outcome.Epoch, Version = outcome.Items[0].Version },
                    cancellationToken).ConfigureAwait(false);
            case UpdateStatus.Refused:
                _store.TryUpdate(current => OwnRules.Forget(current, StructureKey.OfKey(name.Id), pending.RequestId, null), []);
                return pending with { Status = outcome.Status, RefusedBecause = outcome.RefusedBecause, Current = outcome.Current };
            default:
                return pending;
        }
    }

    // Compares the server's statement with the log: the version that the server names must exist with the value that was set.
    private async Task<UpdateResult> ConfirmAsync(KeyName name, UpdateResult published, CancellationToken cancellationToken)
    {
        LookupResult lookup = (await LookupBatchAsync([name], published.Epoch!.Value, cancellationToken).ConfigureAwait(false))[0];
        UpdateResult result = published with { Lookup = lookup, Confirmation = UpdateConfirmation.Unproven };
        if (!lookup.IsValid)
        {
            return result;
        }
        KeyVersionNumber named = published.Version!.Value;
        bool isCurrent = named.Period == lookup.Head!.Period;
        if (named.Version == 0 || named.Period > lookup.Head.Period || (isCurrent && lookup.Version < named.Version))
        {
            return result with { Confirmation = UpdateConfirmation.Contradicted, Detail = "the log has no such version" };
        }
        if (isCurrent && lookup.Version == named.Version)
        {
            return Compared(result, new KeyVersion(lookup.Version, lookup.PublishedEpoch, lookup.Value));
        }
        try
        {
            VersionsRun run = await FindVersionsAsync(name, [named], lookup.Head.Epoch, cancellationToken).ConfigureAwait(false);
            result = result with { History = History(name.Octets, run) };
            return run.Versions.Count == 1
                ? Compared(result, run.Versions[0].Version)
                : result with { Detail = "the server gave no valid history" };
        }
        catch (OptiksServerException e)
        {
            return result with { Detail = $"the server gave no history: {e.Message}" };
        }
    }

    private void RequireValue(ReadOnlyMemory<byte> value) => RequireValueLength(value.Length);

    private void RequireValueLength(int value)
    {
        if (value > _options.TrustAnchor.Configuration.MaxValueLength)
        {
            throw new ArgumentException(
                $"A value of this log has at most {_options.TrustAnchor.Configuration.MaxValueLength} octets, not {value}.", nameof(value));
        }
    }

    private Guid RequestIdOf(Guid? given) =>
        given is { Version: not 7 } ? throw new ArgumentException("A request id is a UUIDv7.", nameof(given)) : given ?? NewRequestId();

    private static UpdateResult Compared(UpdateResult result, KeyVersion shown) =>
        shown.Value is not { } value ? result with { Detail = "the version's value was erased meanwhile" }
        : ValueHash.Of(value.Span) == result.ValueSha256 ? result with { Confirmation = UpdateConfirmation.Confirmed, Epoch = shown.Epoch }
        : result with { Confirmation = UpdateConfirmation.Contradicted, Detail = "the version has another value" };

    // Returns the outcome of every call once the state has evidence that the log forked, or that one of its trees changed in another way
    // than by adding leaves. From then on the client believes nothing and sends nothing. Returns null if there is no such evidence.
    private Outcome? Stopped() =>
        _store.Current.Fork is { } fork ? new Outcome(fork.Breach ?? Reason.Fork, null) { EvidencePath = fork.EvidencePath } : null;

    private Uri UpdateUrl() => _options.UpdateUrl ?? throw new InvalidOperationException("No update URL was given.");

    // The owner's monitoring begins in the period of the first head. So a client must get a head before its first update. Otherwise nobody
    // would check what the log shows between the update and that period. Returns null if the client has a head and no evidence against the
    // log.
    private async Task<Outcome?> FindRefusedHeadAsync(CancellationToken cancellationToken)
    {
        if (_connection.HasCredential)
        {
            ServerConnection.RequirePrivacy(UpdateUrl());
        }
        return Stopped()
            ?? (_store.Current.Head is null
                && await _exchanger.RunAsync(new HeadExchange(), cancellationToken)
                    .ConfigureAwait(false) is { Reason: not Reason.Valid } refused ? refused : null);
    }

    // Registers the changes as expected and sends the request. When the server refuses the request for good, the client no longer expects
    // the changes that this call registered. It still expects them if the server may have accepted an earlier try, or an earlier request
    // with this id.
    private async Task<byte[]> SendAsync(ServerRequest request, Func<ClientState, ClientState> expect,
        Func<ClientState, ClientState, ClientState> forget, CancellationToken cancellationToken)
    {
        ClientState before = _store.Current;
        _store.TryUpdate(
            current =>
            {
                before = current;
                return expect(current);
            },
            []);
        bool mayHaveArrived = false;
        try
        {
            return await RetryAsync(request, cancellationToken,
                failure => mayHaveArrived |= failure.Status != HttpStatusCode.TooManyRequests).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Failure == ServerFailure.Refused && !e.IsTransient && !mayHaveArrived)
        {
            _store.TryUpdate(current => forget(current, before), []);
            throw;
        }
    }

    private async Task<byte[]> RetryAsync(
        ServerRequest request, CancellationToken cancellationToken, Action<OptiksServerException>? note = null)
    {
        var backoff = new Backoff(_options, _time);
        while (true)
        {
            OptiksServerException failure;
            try
            {
                return await _connection.SendAsync(request, cancellationToken).ConfigureAwait(false);
            }
            catch (OptiksServerException e) when (e.IsTransient)
            {
                failure = e;
                note?.Invoke(e);
            }
            if (!await backoff.TryWaitAsync(failure.RetryAfter, cancellationToken).ConfigureAwait(false))
            {
                ExceptionDispatchInfo.Throw(failure);
            }
        }
    }

    private static ReadOnlyMemory<byte> Body(
        Guid id, KeyName key, ReadOnlyMemory<byte> value, KeyVersionNumber? expected, bool wantsReceipt)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, id);
            writer.WriteString("key_b64"u8, key.Id);
            writer.WriteString("value_b64"u8, Base64UrlText.Encode(value.Span));
            if (expected is { } number)
            {
                writer.WriteStartObject("expected"u8);
                writer.WriteNumber("period"u8, number.Period);
                writer.WriteNumber("version"u8, number.Version);
                writer.WriteEndObject();
            }
            if (wantsReceipt)
            {
                writer.WriteBoolean("receipt"u8, true);
            }
            writer.WriteEndObject();
        }
        return buffer.WrittenMemory;
    }
}
