using System.Globalization;
using System.Net;
using System.Net.Http.Headers;

namespace Optiks.Tlog;

/// <summary>
/// Reads the files of a log over HTTP. The status 404 means that a file does not exist. For a partial tile, 403 means the same, and the
/// reader then requests the full tile: S3 answers 403 for a missing object to clients that may not list the bucket. After every other
/// failure, the reader throws <see cref="HttpRequestException"/>. It throws the same exception if an answer is longer than a valid file of
/// its kind, or exceeds the time limit. The server need not send a checkpoint again that has not changed. Any thread may use a reader.
/// </summary>
public sealed class HttpTileReader : ITileReader
{
    private readonly HttpClient _http;
    private readonly Uri _prefix;
    private readonly TimeSpan _timeout;
    private readonly int _maxEntryLength;

    // The last checkpoint that the server sent with an entity tag, so that the next request can ask whether it has changed.
    private volatile Tagged? _checkpoint;

    /// <summary>Creates a reader of the log with this monitoring prefix, which is the URL to which "/checkpoint" is appended.</summary>
    /// <param name="http">The HTTP client, which has a time limit and decompresses compressed bundles. The caller still owns the
    /// client.</param>
    /// <param name="prefix">An absolute URL, with or without a slash at its end.</param>
    /// <param name="timeout">The time limit for a whole answer, up to its last byte. If it is null, the client's own time limit
    /// applies.</param>
    /// <param name="maxEntryLength">The greatest length of an entry of the log, in bytes.</param>
    public HttpTileReader(HttpClient http, Uri prefix, TimeSpan? timeout = null, int maxEntryLength = EntryBundle.MaxEntryLength)
    {
        ArgumentNullException.ThrowIfNull(http);
        ArgumentNullException.ThrowIfNull(prefix);
        _http = http;
        _prefix = new Uri(prefix.AbsoluteUri.TrimEnd('/') + "/", UriKind.Absolute);
        _timeout = timeout ?? Timeout.InfiniteTimeSpan;
        _maxEntryLength = maxEntryLength;
    }

    /// <inheritdoc/>
    public async Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken)
    {
        Tagged? known = _checkpoint;
        Tagged? got = await GetAsync("checkpoint", SignedNote.MaxBytes, known, cancellationToken).ConfigureAwait(false);
        _checkpoint = got?.Tag is null ? null : got;
        // Each caller gets a copy, so that a caller's changes do not affect the next caller.
        return got?.Octets.AsSpan().ToArray();
    }

    /// <inheritdoc/>
    public async Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
    {
        int maxLength = path.IsEntries ? TilePath.FullWidth * (sizeof(ushort) + _maxEntryLength) : TilePath.FullWidth * TreeHash.Length;
        try
        {
            return (await GetAsync(path.ToString(), maxLength, null, cancellationToken).ConfigureAwait(false))?.Octets;
        }
        catch (HttpRequestException e) when (e.StatusCode == HttpStatusCode.Forbidden && !path.IsFull)
        {
            return null;
        }
    }

    /// <summary>Returns an epoch's unverified audit proof (<see cref="AuditProofPath"/>); null if it does not exist.</summary>
    /// <param name="epoch">The epoch.</param>
    /// <param name="maxLength">The greatest accepted length of the proof, in bytes.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    public async Task<byte[]?> ReadAuditProofAsync(ulong epoch, int maxLength, CancellationToken cancellationToken) =>
        (await GetAsync(AuditProofPath.ForEpoch(epoch), maxLength, null, cancellationToken).ConfigureAwait(false))?.Octets;

    private async Task<Tagged?> GetAsync(string path, int maxLength, Tagged? known, CancellationToken cancellationToken)
    {
        using var deadline = new AnswerDeadline(_timeout, TimeProvider.System, 0, cancellationToken);
        try
        {
            return await SendAsync(path, maxLength, known, deadline).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (deadline.IsLate)
        {
            throw new HttpRequestException(
                string.Create(CultureInfo.InvariantCulture, $"{path} takes longer than {_timeout.TotalSeconds:0.###} s."), e);
        }
        catch (AnswerTooLongException e)
        {
            throw new HttpRequestException($"{path} is longer than {maxLength} bytes.", e);
        }
        catch (IOException e)
        {
            throw new HttpRequestException($"{path} was cut off.", e);
        }
    }

    private async Task<Tagged?> SendAsync(string path, int maxLength, Tagged? known, AnswerDeadline deadline)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(_prefix, path));
        if (known is not null)
        {
            request.Headers.IfNoneMatch.Add(known.Tag!);
        }
        using HttpResponseMessage response =
            await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, deadline.Token).ConfigureAwait(false);
        if (response.StatusCode == HttpStatusCode.NotFound)
        {
            return null;
        }
        if (response.StatusCode == HttpStatusCode.NotModified && known is not null)
        {
            return known;
        }
        response.EnsureSuccessStatusCode();
        return new Tagged(await AnswerBody.ReadAsync(response.Content, maxLength, deadline).ConfigureAwait(false), response.Headers.ETag);
    }

    private sealed record Tagged(byte[] Octets, EntityTagHeaderValue? Tag);
}
