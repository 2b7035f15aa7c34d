using Optiks.QueryService.Answers;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that long answers reuse memory, and that idle memory is bounded however many threads returned arrays.</summary>
public sealed class LongBuffersTests
{
    private const int Length = 1 << 21;

    [Fact]
    public void An_array_that_came_back_is_lent_again()
    {
        var buffers = new LongBuffers(4 * Length);
        byte[] first = buffers.Rent(Length);
        byte[] second = buffers.Rent(Length);
        Assert.NotSame(first, second);
        buffers.Return(first);
        buffers.Return(second);
        Assert.Equal(2 * Length, buffers.IdleLength);
        Assert.Equal(2 * Length, buffers.Rent(2 * Length).Length);
        Assert.Same(second, buffers.Rent(Length));
        Assert.Same(first, buffers.Rent(Length));
        Assert.Equal(0, buffers.IdleLength);
    }

    [Fact]
    public async Task What_is_idle_is_bounded()
    {
        var buffers = new LongBuffers(4 * Length);
        await Parallel.ForAsync(0, 32, TestContext.Current.CancellationToken, async (i, cancellation) =>
        {
            byte[] array = buffers.Rent(i % 2 == 0 ? Length : 2 * Length);
            await Task.Delay(1, cancellation);
            buffers.Return(array);
            Assert.InRange(buffers.IdleLength, 0, 4 * Length);
        });
        // An array that is longer than the bound is not kept, and neither are those before it.
        buffers.Return(new byte[8 * Length]);
        Assert.Equal(0, buffers.IdleLength);
    }

    [Fact]
    public void A_length_that_is_no_power_of_two_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new LongBuffers(Length).Rent(Length + 1));
}
