using System.Globalization;
using Optiks.Native;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>
/// Asks one cosigner for the newest checkpoint that it cosigned. The client does not trust the cosigner. It bounds the answer's length and
/// time, follows no redirects, and accepts a checkpoint only if its signatures are valid. Not thread-safe.
/// </summary>
internal sealed class CosignerClient : IDisposable
{
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    private readonly Cosigner _cosigner;
    private readonly CheckpointVerifier _verifier;
    private readonly TimeProvider _time;
    private readonly TimeSpan _tolerance;
    private readonly HttpClient _http;

    public CosignerClient(Cosigner cosigner, VerifierKey logKey, TimeProvider time, TimeSpan timeout, TimeSpan tolerance)
    {
        _cosigner = cosigner;
        // The verifier checks only this cosigner's signature line, so that the checkpoint is not refused because of an invalid line of
        // another cosigner.
        _verifier = new CheckpointVerifier(logKey, [cosigner.Key], Ed25519.Verifier);
        _time = time;
        _tolerance = tolerance;
        _http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = s_connectTimeout })
        {
            Timeout = timeout,
            MaxResponseContentBufferSize = SignedNote.MaxBytes,
        };
    }

    /// <summary>Returns the checkpoint that the cosigner serves, or the reason why the client did not accept the cosigner's
    /// answer.</summary>
    public async Task<(SignedCheckpoint? Checkpoint, string Why)> AskAsync(CancellationToken cancellationToken)
    {
        byte[] note;
        try
        {
            using HttpResponseMessage response = await _http.GetAsync(_cosigner.Checkpoint, cancellationToken);
            if (!response.IsSuccessStatusCode)
            {
                return (null, string.Create(CultureInfo.InvariantCulture, $"It answers with status {(int)response.StatusCode}."));
            }
            note = await response.Content.ReadAsByteArrayAsync(cancellationToken);
        }
        catch (Exception e) when (e is HttpRequestException or IOException
            || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return (null, e is HttpRequestException { HttpRequestError: var error }
                ? $"The request failed ({error})."
                : "The request took too long.");
        }
        if (!_verifier.TryOpen(note, out SignedCheckpoint? opened, out TlogError refused))
        {
            return (null, $"Its answer is not a checkpoint of this log with its cosignature ({refused}).");
        }
        return opened.Cosignatures is not [{ Timestamp: { } time }] ? (null, "Its answer lacks its cosignature.")
            : Cosignature.IsAhead(time, _time.GetUtcNow(), _tolerance) ? (null, "Its cosignature is from the future.")
            : (opened, "");
    }

    public void Dispose() => _http.Dispose();
}
