using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Optiks.ServiceDefaults;

/// <summary>RequestBody reads whole bodies of bounded length.</summary>
public static class RequestBody
{
    /// <summary>
    /// MediaType gives which of the accepted media types the body has. Throws <see cref="ProblemException"/> (unsupported-media-type)
    /// for others, for none, for a charset that is not UTF-8, and for a body that is compressed.
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
        throw new ProblemException(new Problem(ProblemTypes.UnsupportedMediaType, $"The Content-Type must be {string.Join(" or ", accepted!)}."));
    }

    /// <summary>ReadAsync reads the body to its end. Throws <see cref="ProblemException"/> (body-too-large) beyond <paramref name="maxLength"/> octets, before it holds more.</summary>
    public static async ValueTask<byte[]> ReadAsync(HttpRequest request, long maxLength, CancellationToken cancellationToken)
    {
        ReadOnlySequence<byte> buffer = await BufferAsync(request, maxLength, mayHold: null, cancellationToken);
        byte[] body = buffer.ToArray();
        request.BodyReader.AdvanceTo(buffer.End);
        return body;
    }

    /// <summary>
    /// ReadPooledAsync reads as <see cref="ReadAsync"/> into memory that is used again; dispose the result. <paramref name="mayHold"/> is asked for all the octets that have come whenever more
    /// have, or the body reader's pending read was cancelled, and refuses by a <see cref="ProblemException"/>. What a request declares to come counts for nothing.
    /// </summary>
    public static async ValueTask<PooledBody> ReadPooledAsync(HttpRequest request, long maxLength, Action<long> mayHold, CancellationToken cancellationToken)
    {
        ReadOnlySequence<byte> buffer = await BufferAsync(request, maxLength, mayHold, cancellationToken);
        var body = new PooledBody((int)buffer.Length);
        buffer.CopyTo(body.Writable);
        request.BodyReader.AdvanceTo(buffer.End);
        return body;
    }

    private static async ValueTask<ReadOnlySequence<byte>> BufferAsync(HttpRequest request, long maxLength, Action<long>? mayHold, CancellationToken cancellationToken)
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
                // A reader that is left in the middle of a read makes the server cut the connection, and the client never reads the answer.
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
        // Chunks whose lengths overflow; what else is wrong with a body has an exception of its own.
        catch (IOException e) when (e is not (BadHttpRequestException or ConnectionResetException) && e.InnerException is OverflowException)
        {
            throw new ProblemException(new Problem(ProblemTypes.MalformedRequest, "The body's chunks are not well formed."), e);
        }
    }

    private static ProblemException TooLarge(long maxLength) =>
        new(new Problem(ProblemTypes.BodyTooLarge, $"The body may have {maxLength} octets."));
}
