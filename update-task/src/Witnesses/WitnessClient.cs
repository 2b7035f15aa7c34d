using System.Globalization;
using System.Net;
using System.Text;
using Optiks.Native;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Asks one witness to cosign checkpoints (docs/spec/witness.md). It trusts only those parts of an answer that it can verify. No answer of
/// a witness can make the log sign anything or return to an older state. Only one caller at a time may use it.
/// </summary>
internal sealed class WitnessClient : IDisposable
{
    // The first request names the size that this client remembers as the witness's last size. If the witness answers with another size, the
    // second request names that size. A third request is needed if another client's request changed the witness's size between these two
    // requests.
    private const int MaxAttempts = 3;
    private const string SizeType = "text/x.tlog.size";
    private const int MaxAnswerLength = 16 * 1024;
    private static readonly TimeSpan s_connectTimeout = TimeSpan.FromSeconds(5);

    private readonly WitnessAddress _witness;
    private readonly BoardFolder _board;
    private readonly TimeProvider _time;
    private readonly TimeSpan _tolerance;
    private readonly HttpClient _http;
    private ulong _size;
    private ulong _cosignedSize;

    public WitnessClient(WitnessAddress witness, BoardFolder board, TimeProvider time, TimeSpan timeout, TimeSpan tolerance)
    {
        _witness = witness;
        _board = board;
        _time = time;
        _tolerance = tolerance;
        _http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = s_connectTimeout })
        {
            Timeout = timeout,
            MaxResponseContentBufferSize = MaxAnswerLength,
        };
    }

    /// <summary>The witness that this client asks.</summary>
    public WitnessAddress Witness => _witness;

    /// <summary>Sends a checkpoint to the witness, and returns the verified result.</summary>
    /// <param name="note">The checkpoint as a note that has only the log's signature.</param>
    /// <param name="checkpoint">The same checkpoint, decoded.</param>
    /// <param name="newest">The function that returns the log's current size; the log may have grown since the checkpoint was read.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public async Task<WitnessReply> AskAsync(
        SignedNote note, Checkpoint checkpoint, Func<Task<ulong>> newest, CancellationToken cancellationToken)
    {
        // The remembered size may exceed the checkpoint's size. The request then names the checkpoint's own size instead.
        _size = Math.Min(_size, checkpoint.Size);
        bool wentBack = false;
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            (HttpStatusCode status, string? type, byte[] body) answer;
            try
            {
                answer = await SendAsync(note, checkpoint, cancellationToken);
            }
            catch (Exception e) when (e is HttpRequestException or IOException
                || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested))
            {
                return new WitnessReply(WitnessOutcome.Unavailable,
                    e is HttpRequestException { HttpRequestError: var error }
                        ? $"The request failed ({error})."
                        : "The request took too long.");
            }
            switch (answer.status)
            {
                case HttpStatusCode.OK:
                    return Verify(checkpoint, answer.body) with { WentBack = wentBack };
                case HttpStatusCode.Conflict when string.Equals(answer.type, SizeType, StringComparison.OrdinalIgnoreCase)
                    && TryReadSize(answer.body, out ulong size) && size != _size:
                    if (size > checkpoint.Size)
                    {
                        return size > await newest()
                            ? new WitnessReply(WitnessOutcome.Ahead,
                                Number($"It says that it cosigned size {size}; this log has {checkpoint.Size}."))
                            : new WitnessReply(WitnessOutcome.Refused, "It has a newer checkpoint of this log already.");
                    }
                    // The next request names the size that the witness answered. The witness can accept that request only if its checkpoint
                    // of that size is of this log's history.
                    wentBack |= size < _cosignedSize;
                    _size = size;
                    break;
                case HttpStatusCode.Conflict:
                    return new WitnessReply(WitnessOutcome.Invalid, "It answers that there is a conflict, but names no other size.");
                case HttpStatusCode.BadRequest or HttpStatusCode.Forbidden or HttpStatusCode.NotFound or HttpStatusCode.UnprocessableEntity:
                    return new WitnessReply(WitnessOutcome.Refused, Number($"It refuses with status {(int)answer.status}."));
                case HttpStatusCode.TooManyRequests or >= HttpStatusCode.InternalServerError:
                    return new WitnessReply(WitnessOutcome.Unavailable, Number($"It answers with status {(int)answer.status}."));
                default:
                    return new WitnessReply(WitnessOutcome.Invalid, Number($"It answers with status {(int)answer.status}."));
            }
        }
        return new WitnessReply(WitnessOutcome.Invalid, "It names a different size each time.");
    }

    public void Dispose() => _http.Dispose();

    private async Task<(HttpStatusCode Status, string? Type, byte[] Body)> SendAsync(
        SignedNote note, Checkpoint checkpoint, CancellationToken cancellationToken)
    {
        var hashes = new HashReader(new DirectoryTileReader(_board.Log), checkpoint.Size, checkpoint.Root);
        IReadOnlyList<TreeHash> proof = await ConsistencyProof.MakeAsync(hashes, _size, checkpoint.Size, cancellationToken);
        var head = new StringBuilder(Number($"old {_size}\n"));
        foreach (TreeHash hash in proof)
        {
            head.Append(hash.ToString()).Append('\n');
        }
        using var request = new HttpRequestMessage(HttpMethod.Post, _witness.Url)
        {
            Content = new ByteArrayContent([.. Encoding.ASCII.GetBytes(head.Append('\n').ToString()), .. note.Encode()]),
        };
        // This call also reads the whole answer, within the HTTP client's limits on time and length.
        using HttpResponseMessage response = await _http.SendAsync(request, cancellationToken);
        return (response.StatusCode, response.Content.Headers.ContentType?.MediaType,
            await response.Content.ReadAsByteArrayAsync(cancellationToken));
    }

    private WitnessReply Verify(Checkpoint checkpoint, ReadOnlySpan<byte> body)
    {
        byte[] text = checkpoint.Encode();
        while (body.IndexOf((byte)'\n') is >= 0 and int end)
        {
            // The loop skips signature lines of other keys, such as another key of this witness with another signature type.
            if (NoteSignature.TryParseLine(body[..end], out NoteSignature? line, out _) && line.IsBy(_witness.Key))
            {
                if (Cosignature.Verify(Ed25519.Verifier, _witness.Key, text, line, out ulong time) != TlogError.None)
                {
                    return new WitnessReply(WitnessOutcome.Invalid, "Its cosignature does not verify.");
                }
                if (Cosignature.IsAhead(time, _time.GetUtcNow(), _tolerance))
                {
                    return new WitnessReply(WitnessOutcome.Invalid, "Its cosignature is from the future.");
                }
                _size = _cosignedSize = checkpoint.Size;
                return new WitnessReply(WitnessOutcome.Cosigned, "", new VerifiedSignature(_witness.Key, line, time));
            }
            body = body[(end + 1)..];
        }
        return new WitnessReply(WitnessOutcome.Invalid, "Its answer has no cosignature by its key.");
    }

    private static bool TryReadSize(ReadOnlySpan<byte> body, out ulong size)
    {
        size = 0;
        return body.Length is > 1 and <= 21 && body[^1] == '\n' && (body[0] != '0' || body.Length == 2)
            && !body[..^1].ContainsAnyExceptInRange((byte)'0', (byte)'9')
            && ulong.TryParse(body[..^1], NumberStyles.None, CultureInfo.InvariantCulture, out size);
    }

    private static string Number(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
