using System.Buffers;
using System.Runtime.ExceptionServices;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    private const int MaxStatusLength = 1 << 20;
    private const int LongestServerWaitSeconds = 30;

    /// <summary>
    /// UpdateAsync sets a key's value. When it returns <see cref="UpdateStatus.Pending"/>, the server holds the update durably. The change is
    /// registered as expected before it is sent, so that monitoring knows it. Retried under one request id, so that it applies once; a caller
    /// that lost the result repeats the call with the same <paramref name="requestId"/>. Needs an API key with the scope update.
    /// </summary>
    /// <param name="key">Key, 1 to 255 octets.</param>
    /// <param name="value">Value, at most the configuration's length.</param>
    /// <param name="expected">Version that must be the latest when the update is applied; null: any.</param>
    /// <param name="requestId">A UUIDv7 of the last 24 hours; null: a new one.</param>
    /// <param name="cancellationToken">Ends the waiting, not an update that was sent.</param>
    public async Task<UpdateResult> UpdateAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, KeyVersionNumber? expected = null, Guid? requestId = null, CancellationToken cancellationToken = default)
    {
        Uri server = UpdateUrl();
        KeyName name = KeyName.Of(key, _options.TrustAnchor);
        if (value.Length > _options.TrustAnchor.Configuration.MaxValueLength)
        {
            throw new ArgumentException($"A value of this log has at most {_options.TrustAnchor.Configuration.MaxValueLength} octets, not {value.Length}.", nameof(value));
        }
        Guid id = requestId ?? Guid.CreateVersion7(_time.GetUtcNow());
        string hash = ValueHash.Of(value.Span);
        Expect(name, new ExpectedChange(id, hash));
        byte[] body = Body(id, key, value, expected);
        try
        {
            await RetryAsync(
                () => _connection.PostAsync(server, "/v1/updates", body, MediaTypes.Json, MediaTypes.Json, MaxStatusLength, authorize: true, cancellationToken),
                cancellationToken).ConfigureAwait(false);
        }
        catch (OptiksServerException e) when (e.Failure == ServerFailure.Refused && !e.IsTransient)
        {
            Forget(name, id);
            throw;
        }
        return new UpdateResult { Key = key, RequestId = id, ValueSha256 = hash, Status = UpdateStatus.Pending };
    }

    /// <summary>
    /// WaitAsync waits until a pending update is published or refused, and then proves by a lookup of an epoch at least as late that the log
    /// shows it. Still pending after <paramref name="atMost"/>: the result says so.
    /// </summary>
    public async Task<UpdateResult> WaitAsync(UpdateResult pending, TimeSpan atMost, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(pending);
        KeyName name = KeyName.Of(pending.Key, _options.TrustAnchor);
        long started = _time.GetTimestamp();
        while (true)
        {
            TimeSpan left = atMost - _time.GetElapsedTime(started);
            int wait = (int)Math.Clamp(Math.Ceiling(left.TotalSeconds), 0, LongestServerWaitSeconds);
            string path = $"/v1/updates/{pending.RequestId:D}?wait={wait}";
            byte[] answer = await RetryAsync(
                () => _connection.GetAsync(UpdateUrl(), path, MediaTypes.Json, MaxStatusLength, authorize: true, cancellationToken), cancellationToken)
                .ConfigureAwait(false);
            UpdateResult now = UpdateStatusJson.Parse(answer, pending, UpdateUrl());
            switch (now.Status)
            {
                case UpdateStatus.Published:
                    LookupResult lookup = (await LookupBatchAsync([name], now.Epoch!.Value, cancellationToken).ConfigureAwait(false))[0];
                    return now with { Lookup = lookup, Confirmed = Confirms(lookup, now) };
                case UpdateStatus.Refused:
                    Forget(name, pending.RequestId);
                    return now;
                default:
                    if (left <= TimeSpan.Zero)
                    {
                        return now;
                    }
                    await Task.Delay(_options.RetryDelay, _time, cancellationToken).ConfigureAwait(false);
                    break;
            }
        }
    }

    private static bool Confirms(LookupResult lookup, UpdateResult update)
    {
        if (lookup.Verdict != Verdict.Present || update.Version is not { } version || lookup.Value is not { } value)
        {
            return false;
        }
        var shown = new KeyVersionNumber(lookup.Head!.Period, lookup.Version);
        return shown == version
            ? ValueHash.Of(value.Span) == update.ValueSha256
            : shown.Period > version.Period || (shown.Period == version.Period && shown.Version > version.Version);
    }

    private Uri UpdateUrl() => _options.UpdateUrl ?? throw new InvalidOperationException("No update URL was given.");

    private void Expect(KeyName name, ExpectedChange change) => _store.TryUpdate(
        current =>
        {
            OwnedKey owned = current.Owned.GetValueOrDefault(name.Id) ?? new OwnedKey();
            return owned.Expected.Any(known => known.RequestId == change.RequestId)
                ? current
                : current with { Owned = current.Owned.SetItem(name.Id, owned with { Expected = owned.Expected.Add(change) }) };
        },
        []);

    private void Forget(KeyName name, Guid requestId) => _store.TryUpdate(
        current => current.Owned.TryGetValue(name.Id, out OwnedKey? owned) && owned.Expected.Any(known => known.RequestId == requestId)
            ? current with { Owned = current.Owned.SetItem(name.Id, owned with { Expected = owned.Expected.RemoveAll(known => known.RequestId == requestId) }) }
            : current,
        []);

    private async Task<byte[]> RetryAsync(Func<Task<byte[]>> send, CancellationToken cancellationToken)
    {
        var backoff = new Backoff(_options, _time);
        while (true)
        {
            OptiksServerException failure;
            try
            {
                return await send().ConfigureAwait(false);
            }
            catch (OptiksServerException e) when (e.IsTransient)
            {
                failure = e;
            }
            if (!await backoff.TryWaitAsync(failure.RetryAfter, cancellationToken).ConfigureAwait(false))
            {
                ExceptionDispatchInfo.Throw(failure);
            }
        }
    }

    private static byte[] Body(Guid id, ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> value, KeyVersionNumber? expected)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, id);
            writer.WriteString("key_b64"u8, Base64UrlText.Encode(key.Span));
            writer.WriteString("value_b64"u8, Base64UrlText.Encode(value.Span));
            if (expected is { } number)
            {
                writer.WriteStartObject("expected"u8);
                writer.WriteNumber("period"u8, number.Period);
                writer.WriteNumber("version"u8, number.Version);
                writer.WriteEndObject();
            }
            writer.WriteEndObject();
        }
        return buffer.WrittenSpan.ToArray();
    }
}
