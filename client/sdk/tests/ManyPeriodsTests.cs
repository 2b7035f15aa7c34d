using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests a client that has missed more periods than the bounds of one answer can show (docs/spec/periods.md section 4).</summary>
public sealed class ManyPeriodsTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(130)]
    public async Task Whoever_was_away_for_many_periods_goes_through_them(int switches)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.UpdateAsync(s_alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Equal(Reason.Valid, (await client.MonitorAsync(s_alice, Cancellation)).Reason);
        fixture.Publish();
        for (int i = 0; i < switches; i++)
        {
            fixture.Switch();
        }
        LookupResult found = await client.LookupAsync(s_alice, Cancellation);
        MonitorResult monitored = await client.MonitorAsync(s_alice, Cancellation);

        Assert.Equal((Reason.Valid, (ulong)switches, 1UL), (found.Reason, found.Head!.Period, found.Version));
        Assert.Equal((Reason.Valid, 0), (monitored.Reason, monitored.Alarms.Count));
        Assert.Equal(
            Enumerable.Range(0, switches).Select(period => (ulong)period),
            monitored.HandedOver.Concat(monitored.NoGuarantee.Select(missed => missed.Period)).Distinct().Order());
        // A client without a state can follow the log through all these periods too.
        using JournalClientStateStore other = await fixture.OpenStoreAsync("other");
        HistoryResult ended = await fixture.Client(other).HistoryAsync(s_alice, (ulong)switches - 1, Cancellation);
        Assert.Equal((Reason.Valid, 1), (ended.Reason, ended.Versions.Count));
        OptiksServerException gone =
            await Assert.ThrowsAsync<OptiksServerException>(() => fixture.Client(other).HistoryAsync(s_alice, 0, Cancellation));
        Assert.Equal("period-gone", gone.Problem);
    }
}
