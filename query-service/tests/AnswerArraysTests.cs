using Optiks.QueryService.Answers;

namespace Optiks.QueryService.Tests;

/// <summary>Tests that long answers reuse memory, and that the idle memory is bounded even if many threads return arrays.</summary>
public sealed class AnswerArraysTests
{
    private const int Length = 1 << 21;

    [Fact]
    public void An_array_that_came_back_is_lent_again()
    {
        var arrays = new AnswerArrays(4 * Length);
        byte[] first = arrays.Rent(Length);
        byte[] second = arrays.Rent(Length);
        Assert.NotSame(first, second);
        arrays.Return(first);
        arrays.Return(second);
        Assert.Equal(2 * Length, arrays.IdleLength);
        Assert.Equal(2 * Length, arrays.Rent(2 * Length).Length);
        Assert.Same(second, arrays.Rent(Length));
        Assert.Same(first, arrays.Rent(Length));
        Assert.Equal(0, arrays.IdleLength);
    }

    [Fact]
    public async Task What_is_idle_is_bounded()
    {
        var arrays = new AnswerArrays(4 * Length);
        await Parallel.ForAsync(0, 32, TestContext.Current.CancellationToken, async (i, cancellation) =>
        {
            byte[] array = arrays.Rent(i % 2 == 0 ? Length : 2 * Length);
            await Task.Delay(1, cancellation);
            arrays.Return(array);
            Assert.InRange(arrays.IdleLength, 0, 4 * Length);
        });
        // If an array that is longer than the bound is returned, the store keeps neither this array nor the earlier ones.
        arrays.Return(new byte[8 * Length]);
        Assert.Equal(0, arrays.IdleLength);
    }

    [Fact]
    public void A_length_that_is_no_power_of_two_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new AnswerArrays(Length).Rent(Length + 1));
}
