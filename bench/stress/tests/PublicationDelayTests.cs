using Optiks.Stress.Load;
using Optiks.Stress.Settling;

namespace Optiks.Stress.Tests;

public sealed class PublicationDelayTests
{
    private static readonly long s_second = TimeProvider.System.TimestampFrequency;

    [Fact]
    public void A_delay_ends_when_the_epoch_or_a_later_one_is_first_shown()
    {
        // In this data, no replica showed epoch 6, and a replica showed epoch 9 before another replica showed epoch 8.
        (ulong, long)[] shown = [(5, 10 * s_second), (7, 12 * s_second), (8, 15 * s_second), (9, 14 * s_second)];
        Assert.Equal(1_000_000, Delay(9, 5, shown).Max);
        Assert.Equal(3_000_000, Delay(9, 6, shown).Max);
        Assert.Equal(4_000_000, Delay(10, 8, shown).Max);
        Assert.Equal(0, Delay(9, 10, shown).Count);
    }

    [Fact]
    public void A_share_of_the_keys_is_followed_with_all_of_its_updates()
    {
        Ledger.AcceptedUpdate[] all =
            [.. Enumerable.Range(0, 3000)
                .Select(i => new Ledger.AcceptedUpdate(new UpdateItem(Guid.CreateVersion7(DateTimeOffset.UnixEpoch), $"k{i % 1000}"), i))];
        Ledger.AcceptedUpdate[] chosen = Settler.Choose(all, 0.1);
        Assert.Equal(300, chosen.Length);
        Assert.Equal(100, chosen.Select(update => update.Item.Key).Distinct().Count());
        Assert.Equal(all, Settler.Choose(all, 1));
        Assert.Empty(Settler.Choose(all, 0));
    }

    private static Histogram Delay(long acceptedSecond, ulong epoch, IReadOnlyList<(ulong, long)> shown) =>
        PublicationDelay.Measure([new PublicationDelay.Published(acceptedSecond * s_second, epoch)], shown, TimeProvider.System);
}
