using System.Buffers;
using System.IO.Pipelines;
using System.Numerics;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Collects an answer in memory, because its length must be known before its first byte is sent. The writer's memory comes from a pool, and
/// a lease counts it. Before <see cref="SendAsync"/>, the writer does not touch the response, so that the service can still answer with a
/// problem after a failure. Not thread-safe.
/// </summary>
internal sealed class PooledWriter : IBufferWriter<byte>, IDisposable
{
    // The number of bytes that one write to the response's pipe has at most. With longer chunks, a long answer would wait for the processor
    // less often on a busy machine. But shorter chunks save memory, because each chunk is in memory twice.
    private const int ChunkLength = 256 * 1024;

    // The length of the pool's shortest arrays.
    private const int MinLength = 16;

    // The expected ratio between the lengths of the JSON form and the binary form. JSON is longer, because base64url needs four bytes for
    // three, and members have names.
    private const int ExpectedJsonGrowth = 2;

    private readonly AnswerLease _lease;
    private readonly int _maxLength;
    private byte[] _buffer;

    /// <summary>Creates a writer whose first array has room for the given number of bytes (<paramref name="capacity"/>).</summary>
    /// <param name="lease">The lease that counts the writer's memory. The caller must dispose of the writer before the lease.</param>
    /// <param name="capacity">The expected length of the answer in bytes.</param>
    /// <param name="maxLength">The greatest allowed length. If the answer gets longer, the writer throws <see cref="ProblemException"/>
    /// (answer-too-large).</param>
    public PooledWriter(AnswerLease lease, int capacity, int maxLength = int.MaxValue)
    {
        _lease = lease;
        _maxLength = maxLength;
        _buffer = Rent(capacity);
    }

    /// <summary>The number of bytes written so far.</summary>
    public int Length { get; private set; }

    /// <summary>The bytes written so far, valid until the next write or Dispose.</summary>
    public Memory<byte> Written => _buffer.AsMemory(0, Length);

    /// <summary>Appends bytes.</summary>
    public void Append(ReadOnlySpan<byte> octets)
    {
        octets.CopyTo(GetSpan(octets.Length));
        Advance(octets.Length);
    }

    /// <summary>Discards the written bytes but keeps the allocated memory.</summary>
    public void Clear() => Length = 0;

    /// <summary>Inserts bytes before all written bytes.</summary>
    public void Prepend(ReadOnlySpan<byte> octets)
    {
        Reserve(octets.Length);
        Written.Span.CopyTo(_buffer.AsSpan(octets.Length));
        octets.CopyTo(_buffer);
        Advance(octets.Length);
    }

    /// <summary>
    /// Sends the written bytes as fast as the client reads them. If the media type (<paramref name="type"/>) is JSON, sends the JSON form
    /// that the function <paramref name="writeJson"/> makes from them. The lease also counts the memory of that form. Callers must not use
    /// the writer afterwards.
    /// </summary>
    public async Task SendAsync(
        HttpResponse response, string type, Action<Utf8JsonWriter, ReadOnlyMemory<byte>> writeJson, CancellationToken cancellationToken)
    {
        if (type == MediaTypes.Json)
        {
            using PooledWriter json = ToJson(writeJson);
            Dispose();
            await json.SendAsIsAsync(response, type, cancellationToken);
            return;
        }
        await SendAsIsAsync(response, type, cancellationToken);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - Length);
        Length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsMemory(Length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsSpan(Length);
    }

    public void Dispose()
    {
        byte[] buffer = _buffer;
        _buffer = [];
        Length = 0;
        Return(buffer);
    }

    private PooledWriter ToJson(Action<Utf8JsonWriter, ReadOnlyMemory<byte>> write)
    {
        var output = new PooledWriter(_lease, ExpectedJsonGrowth * Length);
        try
        {
            using var json = new Utf8JsonWriter(output, new JsonWriterOptions { Encoder = AnswerJson.Encoder });
            write(json, Written);
            json.Flush();
            return output;
        }
        catch
        {
            output.Dispose();
            throw;
        }
    }

    private async Task SendAsIsAsync(HttpResponse response, string type, CancellationToken cancellationToken)
    {
        response.ContentType = type;
        response.ContentLength = Length;
        PipeWriter body = response.BodyWriter;
        if (Length <= AnswerLease.ConnectionsShare)
        {
            // A short answer needs no flush here, because the server flushes it at the end of the response.
            body.Write(Written.Span);
            return;
        }
        // The lease also counts the pipe's copy of a chunk, until the connection has taken the bytes. The pipe may keep as many bytes as
        // Kestrel's MaxResponseBufferSize allows.
        int copied = Math.Min(ChunkLength, Length);
        _lease.Take(copied);
        try
        {
            bool isRead = true;
            for (int done = 0; done < Length && isRead; done += ChunkLength)
            {
                body.Write(_buffer.AsSpan(done, Math.Min(ChunkLength, Length - done)));
                isRead = !(await body.FlushAsync(cancellationToken)).IsCompleted;
            }
        }
        finally
        {
            _lease.Return(copied);
        }
    }

    private void Reserve(int sizeHint)
    {
        long needed = (long)Length + Math.Max(sizeHint, 1);
        if (needed <= _buffer.Length)
        {
            return;
        }
        if (needed > _maxLength)
        {
            throw new ProblemException(
                new Problem(ProblemTypes.AnswerTooLarge,
                    $"The answer would be longer than {_maxLength} bytes: ask for fewer keys at once."));
        }
        // While the old array is copied to the larger one, the lease counts both.
        byte[] larger = Rent(checked((int)needed));
        Written.Span.CopyTo(larger);
        byte[] outgrown = _buffer;
        _buffer = larger;
        Return(outgrown);
    }

    private byte[] Rent(int length)
    {
        // The code rounds up to the length that the pool would return anyway, so that the lease can count the true length before the
        // allocation.
        int whole = checked((int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, MinLength)));
        _lease.Take(whole);
        return _lease.Arrays.Rent(whole);
    }

    private void Return(byte[] buffer)
    {
        if (buffer.Length > 0)
        {
            _lease.Return(buffer.Length);
            _lease.Arrays.Return(buffer);
        }
    }
}
