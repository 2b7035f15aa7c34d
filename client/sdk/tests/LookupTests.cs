using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

public sealed class LookupTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_answer_that_would_be_too_long_is_asked_for_in_parts()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        string[] names = [.. Enumerable.Range(0, 7).Select(i => $"key {i}")];
        fixture.Publish([.. names.Select(name => (name, $"value of {name}"))]);
        fixture.PublishItems(FixtureItem.Name("alice", "id a"u8.ToArray()), FixtureItem.List("id a"u8.ToArray()),
            FixtureItem.Name("bob", "id b"u8.ToArray()), FixtureItem.List("id b"u8.ToArray()));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.MostQueries = 2;

        IReadOnlyList<LookupResult> keys = await client.LookupAsync(
            [.. names.Select(name => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(name)), Encoding.UTF8.GetBytes(names[0])], Cancellation);
        fixture.Server.MostQueries = 1;
        IReadOnlyList<UserLookupResult> users = await client.LookupUsersAsync(
            [("alice"u8.ToArray(), null), ("bob"u8.ToArray(), null), ("carol"u8.ToArray(), null)], Cancellation);
        fixture.Server.MostQueries = 0;
        OptiksServerException alone = await Assert.ThrowsAsync<OptiksServerException>(() => client.LookupAsync("key 0", Cancellation));

        Assert.Equal([.. names.Append(names[0]).Select(name => $"value of {name}")],
            keys.Select(key => Encoding.UTF8.GetString(key.Value!.Value.Span)));
        Assert.Equal(["id a", "id b", null], users.Select(user => user.User is { } id ? Encoding.UTF8.GetString(id.Span) : null));
        Assert.Equal("answer-too-large", alone.Problem);
    }

    [Fact]
    public async Task Half_of_a_character_is_no_name()
    {
        string name = "caf" + '\ud800';
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        await Assert.ThrowsAnyAsync<ArgumentException>(() => client.LookupAsync(name, Cancellation));
        await Assert.ThrowsAnyAsync<ArgumentException>(() => client.LookupUserAsync(name, Cancellation));
        Assert.Empty(fixture.Server.Requests);
    }

    [Fact]
    public async Task A_present_key_and_an_absent_one_verify()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"), ("carol", "c"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        LookupResult alice = await client.LookupAsync("alice", Cancellation);
        LookupResult bob = await client.LookupAsync("bob", Cancellation);

        Assert.Equal((Verdict.Present, 2UL, 2UL, "two"), (alice.Verdict, alice.Version, alice.PublishedEpoch, Text(alice)));
        Assert.Equal(2UL, alice.Head!.Epoch);
        Assert.Equal((Verdict.Absent, 0UL), (bob.Verdict, bob.Version));
        Assert.Null(bob.Value);
    }

    [Fact]
    public async Task Many_keys_come_in_their_order_and_a_key_twice_too()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.Publish([.. Enumerable.Range(0, 300).Select(i => ($"key-{i}", $"value-{i}"))]);
        fixture.Publish();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();

        string[] keys = ["nobody", .. Enumerable.Range(0, 300).Select(i => $"key-{i}"), "key-7"];
        IReadOnlyList<LookupResult> results = await fixture.Client(store)
            .LookupAsync([.. keys.Select(key => new ReadOnlyMemory<byte>(Encoding.UTF8.GetBytes(key)))], Cancellation);

        Assert.Equal(Verdict.Absent, results[0].Verdict);
        Assert.Equal(Enumerable.Range(0, 300).Select(i => $"value-{i}").Append("value-7"), results.Skip(1).Select(Text));
    }

    [Fact]
    public async Task A_known_version_is_named_left_out_and_remembered()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        LookupResult first = await client.LookupAsync("alice", Cancellation);
        fixture.Publish(("other", "x"));

        LookupResult second = await client.LookupAsync("alice", Cancellation);
        Assert.False(first.Unchanged);
        Assert.True(second.Unchanged);
        Assert.Equal((1UL, "one", 2UL, 1UL), (second.Version, Text(second), second.Head!.Epoch, second.PublishedEpoch));
        Assert.Equal(1UL, fixture.Server.LastQueries[0].Version);

        fixture.Publish(("alice", "two"));
        LookupResult third = await client.LookupAsync("alice", Cancellation);
        Assert.Equal((2UL, "two", false), (third.Version, Text(third), third.Unchanged));
    }

    [Fact]
    public async Task A_value_that_was_lost_is_asked_for_again()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        var losing = new LosingStore(store);
        OptiksClient client = fixture.Client(losing);
        await client.LookupAsync("alice", Cancellation);
        losing.Lost.Add(ValueHash.Of("one"u8));

        LookupResult again = await client.LookupAsync("alice", Cancellation);

        Assert.Equal((Verdict.Present, "one"), (again.Verdict, Text(again)));
        Assert.Equal(0UL, fixture.Server.LastQueries[0].Version);
    }

    [Fact]
    public async Task Every_octet_that_is_changed_on_the_way_is_noticed()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "b"), ("carol", "c"));
        fixture.Publish(("alice", "two"));
        int length = 0;
        fixture.Server.Mutate = (_, answer) =>
        {
            length = answer.Length;
            return answer;
        };
        Assert.True((await FreshAsync(fixture)).IsValid);

        var accepted = new List<int>();
        for (int i = 0; i < length; i += 7)
        {
            int position = i;
            fixture.Server.Mutate = (_, answer) =>
            {
                answer[position] ^= 0x40;
                return answer;
            };
            LookupResult result = await FreshAsync(fixture);
            if (result.IsValid)
            {
                accepted.Add(i);
            }
            else
            {
                Assert.Contains(result.Verdict, (Verdict[])[Verdict.Invalid, Verdict.Malformed, Verdict.Stale]);
                Assert.Null(result.Value);
                Assert.Throws<InvalidOperationException>(() => result.Head);
            }
        }
        Assert.Empty(accepted);
    }

    [Theory]
    [InlineData("truncated", Verdict.Malformed)]
    [InlineData("extended", Verdict.Malformed)]
    [InlineData("empty", Verdict.Malformed)]
    [InlineData("another key", Verdict.Invalid)]
    [InlineData("nothing", Verdict.Present)]
    public async Task Whole_changes_are_refused(string change, Verdict verdict)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "b"));
        byte[] ofBob = [.. (await fixture.Log.HeadAsync(1, 0))!, .. fixture.Log.Lookups(1, [new FixtureQuery("bob"u8.ToArray(), 0, 0)])];
        fixture.Server.Mutate = (_, answer) => change switch
        {
            "truncated" => answer[..^1],
            "extended" => [.. answer, 0],
            "empty" => [],
            "another key" => ofBob,
            _ => answer,
        };

        LookupResult result = await FreshAsync(fixture);

        Assert.Equal(verdict, result.Verdict);
        Assert.Equal(verdict == Verdict.Present, result.Value is not null);
    }

    [Fact]
    public async Task In_a_refused_batch_the_key_at_fault_is_marked()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"), ("bob", "b"));
        byte[] swapped = [.. (await fixture.Log.HeadAsync(1, 0))!,
            .. fixture.Log.Lookups(1, [new FixtureQuery("alice"u8.ToArray(), 0, 0), new FixtureQuery("carol"u8.ToArray(), 0, 0)])];
        fixture.Server.Mutate = (_, _) => swapped;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();

        IReadOnlyList<LookupResult> results =
            await fixture.Client(store).LookupAsync(["alice"u8.ToArray(), "bob"u8.ToArray()], Cancellation);

        Assert.All(results, result => Assert.Equal((Verdict.Invalid, Reason.VrfChallenge), (result.Verdict, result.Reason)));
        Assert.Equal([false, true], results.Select(result => result.AtFault));
        Assert.Null(store.Current.Head);
    }

    [Fact]
    public async Task Records_too_old_or_from_the_future_are_refused()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Clock.UtcNow = fixture.Log.Now.AddMilliseconds(FixtureLog.Configuration.MaxBehindMs + FixtureLog.StepMs + 1);
        Assert.Equal(Reason.RecordTooOld, (await FreshAsync(fixture)).Reason);
        fixture.Clock.UtcNow = fixture.Log.Now.AddMilliseconds(-(double)FixtureLog.Configuration.MaxAheadMs - FixtureLog.StepMs - 1);
        Assert.Equal(Reason.RecordFromFuture, (await FreshAsync(fixture)).Reason);
        fixture.Clock.UtcNow = fixture.Log.Now;
        Assert.True((await FreshAsync(fixture)).IsValid);
    }

    private static async Task<LookupResult> FreshAsync(Fixture fixture) =>
        await fixture.Client(new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence")))
            .LookupAsync("alice", Cancellation);

    private static string Text(LookupResult result) => Encoding.UTF8.GetString(result.Value!.Value.Span);
}
