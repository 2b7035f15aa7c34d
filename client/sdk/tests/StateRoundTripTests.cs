using System.Text;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests that the next run can read every state that a client stores. If a client wrote a state that it cannot read, nobody could use the
/// client any more.
/// </summary>
public sealed class StateRoundTripTests
{
    private static readonly string[] s_keys = ["alice", "bob", "\u0001"];

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_erased_older_version_is_an_alarm_and_the_client_goes_on()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "fake"));
        fixture.Publish(("alice", "true"));
        fixture.Server.Mutate = (path, answer) =>
            path is "/v1/monitor" or "/v1/history" ? Erasure.Of(answer, version => version == 1) : answer;
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            MonitorResult found = await fixture.Client(store).MonitorAsync("alice"u8.ToArray(), Cancellation);
            Assert.Equal([(1UL, true), (2UL, false)], found.Alarms.Select(alarm => (alarm.Version, alarm.ValueSha256 is null)));
        }

        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(reopened);

        Assert.Equal([1UL, 2UL], (await client.MonitorAsync("alice"u8.ToArray(), Cancellation)).Alarms.Select(alarm => alarm.Version));
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        AlarmReview review = await client.ReviewAlarmsAsync("alice"u8.ToArray(), Cancellation);
        Assert.Equal([true, false], review.Alarms.Select(reviewed => reviewed.Version!.Value is null));
        Assert.Equal(2, client.AcknowledgeAlarms("alice"u8.ToArray(), [.. review.Alarms.Select(reviewed => reviewed.Alarm)]));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Every_state_that_a_client_reaches_is_read_back(int seed)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.PublishItems(FixtureItem.Name("user", "id"u8.ToArray()), FixtureItem.List("id"u8.ToArray()));
        // The random numbers need no secure source, because they are not secret, and a seed makes failures repeatable.
        var random = new Random(seed);
        // Make the server answer as if it had erased every second version. The seed decides whether these are the odd or the even versions.
        fixture.Server.Mutate = (path, answer) =>
            path is "/v1/monitor" or "/v1/history" ? Erasure.Of(answer, version => version % 2 == (ulong)(seed % 2)) : answer;
        int erased = 0;
        int missed = 0;
        for (int step = 0; step < 150; step++)
        {
            string before;
            using (JournalClientStateStore store = await fixture.OpenStoreAsync())
            {
                await StepAsync(fixture, fixture.Client(store), random);
                before = StateEditor.Show(store.Current);
                missed += store.Current.OwnKeys.Values.Concat(store.Current.OwnLists.Values).Sum(own => own.NoGuarantee.Length);
                erased += store.Current.OwnKeys.Values.Sum(owned => owned.Alarms.Count(alarm => alarm.ValueSha256 is null));
            }
            using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
            Assert.True(before == StateEditor.Show(reopened.Current), $"step {step}: {before}");
        }
        Assert.True(erased > 0, "no alarm without a hash came up");
        Assert.True(missed > 0, "no epoch without guarantee came up");
    }

    private static async Task StepAsync(Fixture fixture, OptiksClient client, Random random)
    {
        string key = s_keys[random.Next(s_keys.Length)];
        byte[] octets = Encoding.UTF8.GetBytes(key);
        switch (random.Next(13))
        {
            case 0:
                Guid id = client.NewRequestId();
                byte[] value = Encoding.UTF8.GetBytes($"own {random.Next(3)}");
                value = random.Next(2) == 0 ? value : client.KeepNote(octets, value, octets, id);
                await client.UpdateAsync(octets, value, requestId: id, cancellationToken: Cancellation);
                break;
            case 1:
                fixture.Server.PublishAtOnce ^= true;
                fixture.Server.PublishPending();
                break;
            case 2 or 3:
                fixture.Publish((key, $"foreign {random.Next(3)}"));
                break;
            case 4:
                Assert.True((await client.LookupAsync(octets, Cancellation)).IsValid);
                break;
            case 5:
                Assert.True((await client.MonitorAsync(octets, Cancellation)).IsValid);
                break;
            case 6:
                await client.ChangeUserAsync("user"u8.ToArray(),
                    [UserChange.AddDevice(Encoding.UTF8.GetBytes($"device {random.Next(100)}"), octets)], cancellationToken: Cancellation);
                break;
            case 7:
                fixture.PublishItems(
                    FixtureItem.List("id"u8.ToArray(), [.. Enumerable.Range(0, random.Next(4)).Select(i => $"device {i}")]),
                    FixtureItem.Device($"device {random.Next(4)}", $"foreign {random.Next(3)}"));
                break;
            case 8:
                Assert.True((await client.LookupUserAsync("user", Cancellation)).IsValid);
                break;
            case 9:
                UserMonitorResult monitored = await client.MonitorUserAsync("user"u8.ToArray(), cancellationToken: Cancellation);
                Assert.True(monitored.IsValid, monitored.Reason.ToString());
                client.AcknowledgeUserAlarms("user"u8.ToArray(), [.. monitored.Alarms.Where(_ => random.Next(3) == 0)]);
                break;
            case 10:
                fixture.Switch();
                break;
            case 11:
                MonitorResult told = await client.MonitorAsync(octets, Cancellation);
                client.AcceptNoGuarantee(octets, [.. told.NoGuarantee.Where(_ => random.Next(2) == 0)]);
                client.AcceptNoGuaranteeOfUser("user"u8.ToArray(), client.NoGuaranteeOfUser("user"u8.ToArray()));
                break;
            default:
                AlarmReview review = await client.ReviewAlarmsAsync(octets, Cancellation);
                Assert.True(review.IsValid);
                client.AcknowledgeAlarms(octets, [.. review.Alarms.Where(_ => random.Next(2) == 0).Select(reviewed => reviewed.Alarm)]);
                break;
        }
        fixture.Clock.UtcNow = fixture.Log.Now;
    }
}
