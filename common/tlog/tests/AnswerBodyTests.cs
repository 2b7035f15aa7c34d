namespace Optiks.Tlog.Tests;

/// <summary>Tests reading answers from servers that announce one length and send another, that stall, or that are slow.</summary>
public sealed class AnswerBodyTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0, 0, null)]
    [InlineData(0, 8, null)]
    [InlineData(8, 8, null)]
    [InlineData(8, 8, 8L)]
    [InlineData(100_000, 100_000, null)]
    [InlineData(100_000, 100_000, 100_000L)]
    [InlineData(100_000, 1 << 20, 20_000L)]
    [InlineData(3, int.MaxValue, null)]
    public async Task A_body_within_the_limit_is_read_whole(int length, int maxLength, long? declared)
    {
        byte[] octets = new byte[length];
        // The bytes differ, so that lost or swapped chunks are noticed; their values do not matter.
        new Random(length).NextBytes(octets);
        using var deadline = new AnswerDeadline(Timeout.InfiniteTimeSpan, TimeProvider.System, 0, Cancellation);
        Assert.Equal(octets, await AnswerBody.ReadAsync(Content(new MemoryStream(octets), declared), maxLength, deadline));
    }

    [Theory]
    [InlineData(1, 0, null)]
    [InlineData(9, 8, null)]
    [InlineData(9, 8, 8L)]
    [InlineData(0, 8, 9L)]
    [InlineData(100_001, 100_000, null)]
    [InlineData(int.MaxValue, 100_000, null)]
    public async Task A_longer_one_is_refused_before_it_is_kept(int length, int maxLength, long? declared)
    {
        using var deadline = new AnswerDeadline(Timeout.InfiniteTimeSpan, TimeProvider.System, 0, Cancellation);
        long before = GC.GetAllocatedBytesForCurrentThread();
        AnswerTooLongException e =
            await Assert.ThrowsAsync<AnswerTooLongException>(
                () => AnswerBody.ReadAsync(Content(new Zeros(length), declared), maxLength, deadline));
        Assert.Equal(maxLength, e.MaxLength);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, (4 * maxLength) + (1 << 20));
    }

    [Fact]
    public async Task No_memory_is_taken_for_what_is_only_declared()
    {
        using var deadline = new AnswerDeadline(Timeout.InfiniteTimeSpan, TimeProvider.System, 0, Cancellation);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Equal(10, (await AnswerBody.ReadAsync(Content(new Zeros(10), 1 << 30), 1 << 30, deadline)).Length);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    [Theory(Timeout = 60_000)]
    [InlineData(0)]
    [InlineData(1024)]
    public async Task A_body_that_stalls_ends_at_the_deadline(int leastOctetsPerSecond)
    {
        using var deadline = new AnswerDeadline(TimeSpan.FromMilliseconds(100), TimeProvider.System, leastOctetsPerSecond, Cancellation);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => AnswerBody.ReadAsync(Content(new Stalling(), null), 1024, deadline));
        Assert.True(deadline.IsLate);
    }

    [Fact(Timeout = 60_000)]
    public async Task A_caller_that_goes_away_is_no_late_server()
    {
        using var gone = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        gone.CancelAfter(50);
        using var deadline = new AnswerDeadline(TimeSpan.FromMinutes(10), TimeProvider.System, 0, gone.Token);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => AnswerBody.ReadAsync(Content(new Stalling(), null), 1024, deadline));
        Assert.False(deadline.IsLate);
    }

    private static StreamContent Content(Stream body, long? declared)
    {
        var content = new StreamContent(new Unseekable(body));
        content.Headers.ContentLength = declared;
        return content;
    }

    /// <summary>Hides the length of a stream, because a connection's stream has no known length either.</summary>
    private sealed class Unseekable(Stream inner) : ReadOnlyStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            inner.ReadAsync(buffer, cancellationToken);
    }

    /// <summary>Implements a stream of zero bytes with the given length.</summary>
    private sealed class Zeros(long length) : ReadOnlyStream
    {
        private long _left = length;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = (int)Math.Min(_left, buffer.Length);
            _left -= read;
            return ValueTask.FromResult(read);
        }
    }

    /// <summary>Implements a stream that returns one byte and then stalls.</summary>
    private sealed class Stalling : ReadOnlyStream
    {
        private bool _gave;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (!_gave)
            {
                _gave = true;
                return 1;
            }
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
            return 0;
        }
    }

    /// <summary>Implements a stream that, like an answer's body, can only be read from beginning to end.</summary>
    private abstract class ReadOnlyStream : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
