using System.Net;

namespace Optiks.Tlog;

/// <summary>
/// HttpTileReader fetches a log over HTTP. 404 means "not there"; every other failure throws <see cref="HttpRequestException"/>, as does an
/// answer that is longer than its kind can be. Thread-safe.
/// </summary>
public sealed class HttpTileReader : ITileReader
{
    private readonly HttpClient _http;
    private readonly Uri _prefix;

    /// <summary>HttpTileReader for a monitoring prefix, the URL that "/checkpoint" is appended to.</summary>
    /// <param name="http">The client, with its time limit and, for compressed bundles, decompression; stays the caller's.</param>
    /// <param name="prefix">Absolute URL, with or without a slash at its end.</param>
    public HttpTileReader(HttpClient http, Uri prefix)
    {
        ArgumentNullException.ThrowIfNull(http);
        ArgumentNullException.ThrowIfNull(prefix);
        _http = http;
        _prefix = new Uri(prefix.AbsoluteUri.TrimEnd('/') + "/", UriKind.Absolute);
    }

    /// <inheritdoc/>
    public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) =>
        GetAsync("checkpoint", SignedNote.MaxBytes, cancellationToken);

    /// <inheritdoc/>
    public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken) =>
        GetAsync(path.ToString(), path.IsEntries ? EntryBundle.MaxLength : TilePath.FullWidth * TreeHash.Length, cancellationToken);

    private async Task<byte[]?> GetAsync(string path, int maxLength, CancellationToken cancellationToken)
    {
        using HttpResponseMessage response =
            await _http.GetAsync(new Uri(_prefix, path), HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
        if (response.StatusCode == HttpStatusCode.NotFound)
        {
            return null;
        }
        response.EnsureSuccessStatusCode();

        // Counted while reading: the header may be missing, false, or the body compressed.
        using Stream body = await response.Content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        using var bytes = new MemoryStream();
        byte[] buffer = new byte[16 * 1024];
        for (int read; (read = await body.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0;)
        {
            if (bytes.Length + read > maxLength)
            {
                throw new HttpRequestException($"{path} is longer than {maxLength} bytes.");
            }
            bytes.Write(buffer, 0, read);
        }
        return bytes.ToArray();
    }
}
