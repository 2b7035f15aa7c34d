using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>Reads the bodies of requests up to a maximum length.</summary>
public static class RequestBody
{
    /// <summary>
    /// Returns which of the accepted media types the body has. Throws <see cref="ProblemException"/> (unsupported-media-type) if the type
    /// is missing or not accepted, if the charset is not UTF-8, or if the body is compressed.
    /// </summary>
    public static string MediaType(HttpRequest request, params ReadOnlySpan<string> accepted)
    {
        ArgumentNullException.ThrowIfNull(request);
        foreach (string? encoding in request.Headers.ContentEncoding)
        {
            if (!string.Equals(encoding, "identity", StringComparison.OrdinalIgnoreCase))
            {
                throw new ProblemException(new Problem(ProblemTypes.UnsupportedMediaType, "The body must have no Content-Encoding."));
            }
        }
        if (MediaTypeHeaderValue.TryParse(request.ContentType, out MediaTypeHeaderValue? given)
            && (!given.Charset.HasValue || given.Charset.Equals("utf-8", StringComparison.OrdinalIgnoreCase)))
        {
            foreach (string type in accepted)
            {
                if (given.MediaType.Equals(type, StringComparison.OrdinalIgnoreCase))
                {
                    return type;
                }
            }
        }
        throw new ProblemException(
            new Problem(ProblemTypes.UnsupportedMediaType, $"The Content-Type must be {string.Join(" or ", accepted!)}."));
    }

    /// <summary>
    /// Reads the body to its end. Throws <see cref="ProblemException"/> (body-too-large) if the body is longer than
    /// <paramref name="maxLength"/> bytes, and never holds more bytes than that.
    /// </summary>
    public static async ValueTask<byte[]> ReadAsync(HttpRequest request, long maxLength, CancellationToken cancellationToken)
    {
        ReadOnlySequence<byte> buffer = await BufferAsync(request, maxLength, mayHold: null, cancellationToken);
        byte[] body = buffer.ToArray();
        request.BodyReader.AdvanceTo(buffer.End);
        return body;
    }

    /// <summary>
    /// Reads the body as <see cref="ReadAsync"/> does, into memory from a pool; the caller disposes the result. Calls
    /// <paramref name="mayHold"/> with the total number of received bytes whenever more bytes have arrived, and when the pending read of
    /// the request's body reader was cancelled. To refuse the body, <paramref name="mayHold"/> throws a <see cref="ProblemException"/>. The
    /// length that a request declares does not matter.
    /// </summary>
    public static async ValueTask<PooledBody> ReadPooledAsync(
        HttpRequest request, long maxLength, Action<long> mayHold, CancellationToken cancellationToken)
    {
        ReadOnlySequence<byte> buffer = await BufferAsync(request, maxLength, mayHold, cancellationToken);
        var body = new PooledBody((int)buffer.Length);
        buffer.CopyTo(body.Writable);
        request.BodyReader.AdvanceTo(buffer.End);
        return body;
    }

    private static async ValueTask<ReadOnlySequence<byte>> BufferAsync(
        HttpRequest request, long maxLength, Action<long>? mayHold, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.ContentLength > maxLength)
        {
            throw TooLarge(maxLength);
        }
        PipeReader reader = request.BodyReader;
        while (true)
        {
            ReadResult result = await ReadMoreAsync(reader, cancellationToken);
            ReadOnlySequence<byte> buffer = result.Buffer;
            if (buffer.Length > maxLength)
            {
                reader.AdvanceTo(buffer.Start);
                throw TooLarge(maxLength);
            }
            try
            {
                mayHold?.Invoke(buffer.Length);
            }
            catch (ProblemException)
            {
                // The read must be completed even after a failure. Otherwise the server would close the connection, and the client would
                // never read the answer.
                reader.AdvanceTo(buffer.End);
                throw;
            }
            if (result.IsCompleted)
            {
                return buffer;
            }
            reader.AdvanceTo(buffer.Start, buffer.End);
        }
    }

    private static async ValueTask<ReadResult> ReadMoreAsync(PipeReader reader, CancellationToken cancellationToken)
    {
        try
        {
            return await reader.ReadAsync(cancellationToken);
        }
        // The length of a chunk of the body overflows. The server reports other faults of a body with other exceptions.
        catch (IOException e) when (e is not (BadHttpRequestException or ConnectionResetException) && e.InnerException is OverflowException)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "The body's chunks are not well formed."), e);
        }
    }

    private static ProblemException TooLarge(long maxLength) =>
        new(new Problem(ProblemTypes.BodyTooLarge, $"The body may have at most {maxLength} bytes."));
}
