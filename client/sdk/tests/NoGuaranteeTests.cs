using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests periods that are no longer served (docs/spec/periods.md section 7): when a client believes that a period is gone, and what it
/// reports from then on.
/// </summary>
public sealed class NoGuaranteeTests
{
    private static readonly byte[] s_alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_period_that_is_gone_by_right_is_told_for_good()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        ulong seen;
        using (JournalClientStateStore first = await fixture.OpenStoreAsync())
        {
            OptiksClient client = await HandoverTests.OwnerAsync(fixture, first, "one");
            seen = (await client.MonitorAsync(s_alice, Cancellation)).Head!.Epoch;
            fixture.Publish(("alice", "forged"));
            fixture.Publish();
            ulong last = fixture.Log.Latest;
            fixture.Switch(copies => [.. copies.Select(copy => copy with { Version = 1, Value = "one"u8.ToArray() })]);
            fixture.Switch();
            fixture.Switch();
            MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);

            Assert.True(found.IsValid);
            // The log no longer serves periods 0 and 1, but still serves period 2. So no answer reveals the false version that servers
            // showed other clients in an earlier period.
            Assert.Equal([new Missed(0, seen + 1, last), new Missed(1, last + 1, last + 1)], found.NoGuarantee);
            Assert.Equal([2UL], found.HandedOver);
            Assert.Empty(found.Alarms);
        }
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient again = fixture.Client(store);
        MonitorResult later = await again.MonitorAsync(s_alice, Cancellation);
        Assert.Equal(2, later.NoGuarantee.Count);
        Assert.Equal(1, again.AcceptNoGuarantee(s_alice, [later.NoGuarantee[0]]));
        Assert.Equal(0, again.AcceptNoGuarantee(s_alice, [later.NoGuarantee[0]]));
        Assert.Equal([true, false], (await again.MonitorAsync(s_alice, Cancellation)).NoGuarantee.Select(missed => missed.IsAccepted));
    }

    [Fact]
    public async Task After_a_gap_a_lost_key_and_a_value_that_was_never_set_are_alarms()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        await client.UpdateAsync("bob"u8.ToArray(), "b"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.Empty((await client.MonitorAsync("bob"u8.ToArray(), Cancellation)).Alarms);
        fixture.Switch(copies => [new FixtureCopy(StructureId.Keys, s_alice, 1, "forged"u8.ToArray())]);
        fixture.Switch();
        MonitorResult alice = await client.MonitorAsync(s_alice, Cancellation);
        MonitorResult bob = await client.MonitorAsync("bob"u8.ToArray(), Cancellation);

        Assert.Equal([(1UL, 1UL, default(Reason?))], alice.Alarms.Select(alarm => (alarm.Period, alarm.Version, alarm.Handover)));
        Assert.Equal([(1UL, 0UL, (Reason?)Reason.HandoverMissing)],
            bob.Alarms.Select(alarm => (alarm.Period, alarm.Version, alarm.Handover)));
        Assert.Equal([0UL], alice.NoGuarantee.Concat(bob.NoGuarantee).Select(missed => missed.Period).Distinct());
    }

    [Fact]
    public async Task A_server_that_says_gone_too_early_is_not_believed_and_nothing_is_given_up()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        fixture.Publish(("alice", "forged"));
        fixture.Switch();
        fixture.Server.IsGone = (_, _) => true;
        OptiksServerException refused = await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorAsync(s_alice, Cancellation));
        Assert.Equal((ServerFailure.Refused, "period-gone"), (refused.Failure, refused.Problem));
        Assert.Equal((0UL, 0), (store.Current.OwnKeys.Values.Single().At!.Period, store.Current.OwnKeys.Values.Single().NoGuarantee.Length));
        fixture.Server.IsGone = (_, _) => false;
        Assert.Equal([(0UL, 2UL)],
            (await client.MonitorAsync(s_alice, Cancellation)).Alarms.Select(alarm => (alarm.Period, alarm.Version)));
    }

    [Fact]
    public async Task One_replica_of_two_that_says_gone_hides_nothing()
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        fixture.Publish(("alice", "forged"));
        fixture.Switch();
        fixture.Switch();
        fixture.Replica(0).IsGone = (_, _) => true;
        fixture.Replica(1).IsGone = (_, _) => false;
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Empty(found.NoGuarantee);
        Assert.Equal([(0UL, 2UL)], found.Alarms.Select(alarm => (alarm.Period, alarm.Version)));
    }

    [Theory]
    [InlineData(0, "period-gone", "unavailable")]
    [InlineData(1, "period-gone", "unavailable")]
    [InlineData(0, "erased", "unavailable")]
    [InlineData(1, "period-gone", "not-found")]
    public async Task One_replica_that_says_gone_is_not_believed_while_the_other_gives_no_answer(int liar, string says, string other)
    {
        await using Fixture fixture = await Fixture.StartAsync(replicas: 2);
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        fixture.Publish(("alice", "forged"));
        fixture.Switch();
        fixture.Switch();
        // Let the client learn the end of period 0, so that its first question is about period 0.
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        fixture.Replica(1 - liar).IsGone = (_, _) => false;
        fixture.Replica(liar).Refuse = path => path == "/v1/monitor" ? (410, says) : null;
        fixture.Replica(1 - liar).Refuse = path => path == "/v1/monitor" ? (other == "unavailable" ? 503 : 404, other) : null;
        if (other == "unavailable")
        {
            OptiksServerException refused =
                await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorAsync(s_alice, Cancellation));
            Assert.Equal((other, true), (refused.Problem, refused.IsTransient));
        }
        else
        {
            Assert.Equal(Reason.Stale, (await client.MonitorAsync(s_alice, Cancellation)).Reason);
        }
        Assert.Empty(store.Current.OwnKeys.Values.Single().NoGuarantee);
        fixture.Replica(1 - liar).Refuse = _ => null;
        fixture.Replica(liar).Refuse = _ => null;
        Assert.Equal([(0UL, 2UL)],
            (await client.MonitorAsync(s_alice, Cancellation)).Alarms.Select(alarm => (alarm.Period, alarm.Version)));
    }

    [Fact]
    public async Task Gone_is_right_if_the_log_went_on_meanwhile()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        fixture.Publish();
        fixture.Switch();
        Assert.True((await client.LookupAsync("bob", Cancellation)).IsValid);
        // After this switch the log no longer serves period 0. The client learns that from a refusal.
        fixture.Switch();
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.Equal([0UL], found.NoGuarantee.Select(missed => missed.Period));
        Assert.Equal([1UL], found.HandedOver);
    }

    [Fact]
    public async Task Many_periods_fit_into_one_answer()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = await HandoverTests.OwnerAsync(fixture, store, "one");
        // An answer has at most 128 bounds: one bound each of its first and last period, and two bounds of each period between them.
        for (int period = 1; period <= 63; period++)
        {
            fixture.Publish();
            fixture.Switch();
        }
        MonitorResult found = await client.MonitorAsync(s_alice, Cancellation);
        Assert.True(found.IsValid, found.Reason.ToString());
        Assert.Equal(62, found.NoGuarantee.Count);
        Assert.Equal([62UL], found.HandedOver);
        Assert.Empty(found.Alarms);
    }
}
