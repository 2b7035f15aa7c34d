using System.Net;
using System.Net.Sockets;
using System.Text;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

public sealed class OwnerTests
{
    private static readonly byte[] Alice = "alice"u8.ToArray();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task An_update_is_confirmed_by_a_verified_lookup()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        UpdateResult pending = await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        UpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal(UpdateStatus.Pending, pending.Status);
        Assert.Equal((UpdateStatus.Published, 1UL, new KeyVersionNumber(0, 1), true),
            (done.Status, done.Epoch, done.Version, done.Confirmed));
        Assert.Equal(7, pending.RequestId.Version);
    }

    [Fact]
    public async Task A_log_that_shows_another_value_does_not_confirm()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UpdateResult pending = await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Publish(("alice", "false"));
        fixture.Server.Mutate = (path, answer) => path.StartsWith("/v1/updates/", StringComparison.Ordinal)
            ? Encoding.UTF8.GetBytes("""{"status":"published","epoch":1,"items":[{"item":0,"key_b64":"YWxpY2U","version":1,"period":0}]}""")
            : answer;

        UpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.True(done.Lookup!.IsValid);
        Assert.False(done.Confirmed);
    }

    [Theory]
    [InlineData("kept", UpdateConfirmation.Confirmed)]
    [InlineData("thrown away", UpdateConfirmation.Contradicted)]
    [InlineData("another version", UpdateConfirmation.Contradicted)]
    [InlineData("a version to come", UpdateConfirmation.Contradicted)]
    [InlineData("no version", UpdateConfirmation.Contradicted)]
    [InlineData("no scope", UpdateConfirmation.Unproven)]
    [InlineData("erased", UpdateConfirmation.Unproven)]
    public async Task An_update_that_was_superseded_is_confirmed_by_its_own_version_alone(string what, UpdateConfirmation confirmation)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Publish(("alice", "zero"));
        UpdateResult pending = await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Publish(("alice", what == "thrown away" ? "false" : "one"));
        fixture.Publish(("alice", "later"));
        int version = what switch { "another version" => 1, "a version to come" => 4, "no version" => 0, _ => 2 };
        fixture.Server.Refuse = path => what == "no scope" && path == "/v1/history" ? (403, "forbidden") : null;
        fixture.Server.Mutate = (path, answer) => path.StartsWith("/v1/updates/", StringComparison.Ordinal)
            ? Encoding.UTF8.GetBytes(
                $$"""{"status":"published","epoch":3,"items":[{"item":0,"key_b64":"YWxpY2U","version":{{version}},"period":0}]}""")
            : path == "/v1/history" && what == "erased" ? Erasure.Of(answer, number => number == 2) : answer;

        UpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.True(done.Lookup!.IsValid);
        Assert.Equal((confirmation, confirmation == UpdateConfirmation.Confirmed), (done.Confirmation, done.Confirmed));
        // Once the update is confirmed, the result has the verified epoch of the version, and not the epoch that the server claims.
        Assert.Equal(done.Confirmed ? 2UL : 3UL, done.Epoch);
        Assert.Equal(done.Confirmed, done.Detail is null);
    }

    [Fact]
    public async Task A_published_update_that_no_replica_shows_is_stale()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        UpdateResult pending = await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Clock.UtcNow = fixture.Log.Now;
        fixture.Server.Lag = 0;

        UpdateResult done = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal(Verdict.Stale, done.Lookup!.Verdict);
        Assert.False(done.Confirmed);
    }

    [Fact]
    public async Task A_failing_server_is_retried_under_one_request_id()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, TimeSpan.FromSeconds(5));
        int failures = 2;
        fixture.Server.Refuse = path => path == "/v1/updates" && failures-- > 0 ? (503, "overloaded") : null;

        UpdateResult pending = await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        UpdateResult repeated = await client.UpdateAsync(
            Alice, "one"u8.ToArray(), requestId: pending.RequestId, cancellationToken: Cancellation);

        Assert.Equal(pending.RequestId, repeated.RequestId);
        Assert.Equal(4, fixture.Server.Requests.Count(request => request == "POST /v1/updates"));
        Assert.Equal(1UL, fixture.Log.Latest);
        Assert.Single(store.Current.OwnKeys.Values.Single().Expected);
    }

    [Fact]
    public async Task A_refused_update_is_not_expected_any_more()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);

        UpdateResult pending = await client.UpdateAsync(
            Alice, "two"u8.ToArray(), new KeyVersionNumber(0, 7), cancellationToken: Cancellation);
        UpdateResult refused = await client.WaitAsync(pending, TimeSpan.FromSeconds(5), Cancellation);

        Assert.Equal((UpdateStatus.Refused, "expected-version", new KeyVersionNumber(0, 1)),
            (refused.Status, refused.RefusedBecause, refused.Current));
        Assert.Empty(store.Current.OwnKeys.Values.Single().Expected);
        fixture.Server.Refuse = _ => (403, "forbidden");
        OptiksServerException forbidden =
            await Assert.ThrowsAsync<OptiksServerException>(
                () => client.UpdateAsync(Alice, "two"u8.ToArray(), cancellationToken: Cancellation));
        Assert.Equal((ServerFailure.Refused, "forbidden"), (forbidden.Failure, forbidden.Problem));
        Assert.Empty(store.Current.OwnKeys.Values.Single().Expected);
    }

    [Theory]
    [InlineData("reused", "one", "two")]
    [InlineData("token expired", "one", null)]
    [InlineData("arrived", "two", null)]
    [InlineData("too many", null, "two")]
    public async Task A_refusal_says_nothing_of_what_was_accepted_before(string what, string? expected, string? forgotten)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Server.PublishAtOnce = false;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, TimeSpan.FromSeconds(5));
        Guid id = client.NewRequestId();
        if (what is "reused" or "token expired")
        {
            await client.UpdateAsync(Alice, "one"u8.ToArray(), requestId: id, cancellationToken: Cancellation);
        }
        int tries = 0;
        fixture.Server.Refuse = path => path != "/v1/updates" ? null : (what, tries++) switch
        {
            ("reused", _) => (409, "request-id-reused"),
            ("arrived", 0) => (500, "internal"),
            ("too many", 0) => (429, "rate-limited"),
            _ => (401, "unauthorized"),
        };
        byte[] value = what == "token expired" ? "one"u8.ToArray() : "two"u8.ToArray();

        await Assert.ThrowsAsync<OptiksServerException>(
            () => client.UpdateAsync(Alice, value, requestId: id, cancellationToken: Cancellation));

        fixture.Server.Refuse = _ => null;
        foreach (string? published in (string?[])[expected, forgotten])
        {
            if (published is not null)
            {
                fixture.Publish(("alice", published));
                MonitorResult seen = await client.MonitorAsync(Alice, Cancellation);
                Assert.Equal((Reason.Valid, published == expected ? 0 : 1, 0), (seen.Reason, seen.Alarms.Count, seen.Pending));
            }
        }
    }

    [Theory]
    [InlineData(3, 1 << 20, 60, false)]
    [InlineData(1000, 1 << 10, 60, false)]
    [InlineData(1000, 1 << 20, -1, false)]
    [InlineData(6, 1 << 20, 60, true)]
    public async Task A_list_of_versions_that_does_not_end_has_no_result(int pages, long octets, int seconds, bool ends)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(10, i => [("alice", $"value {i + 1}")]);
        fixture.Clock.UtcNow = fixture.Log.Now;
        fixture.Server.PageSize = 2;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store,
            change: options => options with { MaxPages = pages, MaxPagesLength = octets, MaxPagesTime = TimeSpan.FromSeconds(seconds) });
        if (ends)
        {
            Assert.Equal(10, (await client.HistoryAsync(Alice, Cancellation)).Versions.Count);
            Assert.Equal(10, (await client.MonitorAsync(Alice, Cancellation)).NewVersions.Count);
            return;
        }
        Assert.Equal(ServerFailure.Unusable,
            (await Assert.ThrowsAsync<OptiksServerException>(() => client.HistoryAsync(Alice, Cancellation))).Failure);
        Assert.Equal(ServerFailure.Unusable,
            (await Assert.ThrowsAsync<OptiksServerException>(() => client.MonitorAsync(Alice, Cancellation))).Failure);
        Assert.Empty(store.Current.OwnKeys);
    }

    [Theory]
    [InlineData("/v1/lookup", 6)]
    [InlineData("/v1/history", 10)]
    public async Task What_is_longer_than_an_answer_can_be_is_refused(string path, int mebioctets)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.Mutate = (asked, answer) => asked == path ? [.. answer, .. new byte[mebioctets << 20]] : answer;
        async Task<Reason> AskAsync() => path == "/v1/lookup"
            ? (await client.LookupAsync(Alice, Cancellation)).Reason
            : (await client.HistoryAsync(Alice, Cancellation)).Reason;

        Assert.Equal(ServerFailure.Unusable, (await Assert.ThrowsAsync<OptiksServerException>(AskAsync)).Failure);

        // As a control, the client reads and judges an answer whose length is within the bound.
        fixture.Server.Mutate = (asked, answer) => asked == path ? [.. answer, .. new byte[4 << 20]] : answer;
        Assert.Equal(Reason.MalformedTrailing, await AskAsync());
    }

    [Fact]
    public async Task History_is_complete_over_pages()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(10, i => [("alice", $"value {i + 1}")]);
        fixture.Publish();
        fixture.Server.PageSize = 4;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();

        HistoryResult history = await fixture.Client(store).HistoryAsync(Alice, Cancellation);
        HistoryResult nobody = await fixture.Client(store).HistoryAsync("nobody"u8.ToArray(), Cancellation);

        Assert.Equal(Enumerable.Range(1, 10).Select(i => ((ulong)i, (ulong)i, $"value {i}")),
            history.Versions.Select(version => (version.Version, version.Epoch, Encoding.UTF8.GetString(version.Value!.Value.Span))));
        Assert.Equal(3, fixture.Server.Requests.Count(request => request == "POST /v1/history") - 1);
        Assert.Equal((Verdict.Valid, 0), (nobody.Verdict, nobody.Versions.Count));
    }

    [Theory]
    [InlineData(0UL, Reason.Valid)]
    [InlineData(4UL, Reason.VersionRegressed)]
    public async Task A_list_that_ends_below_its_first_page_is_refused(ulong claimed, Reason reason)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        // Publish four epochs, because the server is to claim four versions, and an epoch adds at most one version.
        fixture.Publish(("alice", "one"));
        fixture.Publish(("alice", "two"));
        fixture.Publish();
        fixture.Publish();
        foreach (string path in (string[])["/v1/history", "/v1/monitor"])
        {
            bool isFirst = true;
            fixture.Server.Mutate = (asked, answer) =>
            {
                bool isChanged = asked == path && isFirst && claimed > 0;
                isFirst &= asked != path;
                return isChanged ? ClaimedPage.Of(answer, claimed) : answer;
            };
            OptiksClient client = fixture.Client(store);

            Reason found = path == "/v1/history"
                ? (await client.HistoryAsync(Alice, Cancellation)).Reason
                : (await client.MonitorAsync(Alice, Cancellation)).Reason;

            Assert.Equal(reason, found);
            Assert.Equal(claimed > 0 ? 2 : 1, fixture.Server.Requests.Count(request => request == $"POST {path}"));
        }
    }

    [Fact]
    public async Task History_needs_the_api_key()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        var options = new OptiksClientOptions { TrustAnchor = FixtureLog.Anchor, QueryUrls = [fixture.Server.Url] };
        var client = new OptiksClient(
            options, fixture.Http, new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence")), fixture.Clock);
        OptiksServerException refused = await Assert.ThrowsAsync<OptiksServerException>(() => client.HistoryAsync(Alice, Cancellation));
        Assert.Equal("unauthorized", refused.Problem);
        Assert.True((await client.LookupAsync(Alice, Cancellation)).IsValid);
    }

    [Fact]
    public async Task Own_updates_raise_no_alarm()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        foreach (string value in (string[])["one", "two"])
        {
            await client.UpdateAsync(Alice, Encoding.UTF8.GetBytes(value), cancellationToken: Cancellation);
        }
        fixture.Clock.UtcNow = fixture.Log.Now;

        MonitorResult result = await client.MonitorAsync(Alice, Cancellation);

        Assert.Equal((Verdict.Valid, 2UL, 2, 0), (result.Verdict, result.Version, result.NewVersions.Count, result.Pending));
        Assert.Empty(result.Alarms);
        fixture.Publish();
        MonitorResult again = await client.MonitorAsync(Alice, Cancellation);
        Assert.Empty(again.NewVersions);
        // The question leaves out the versions that the owner has seen, except the latest.
        Assert.Equal(2UL, fixture.Server.LastQueries[0].Version);
    }

    [Fact]
    public async Task A_version_that_was_not_set_here_is_an_alarm_until_it_is_acknowledged()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using (JournalClientStateStore store = await fixture.OpenStoreAsync())
        {
            OptiksClient client = fixture.Client(store);
            await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
            fixture.Publish(("alice", "false"));
            await client.UpdateAsync(Alice, "two"u8.ToArray(), cancellationToken: Cancellation);
            fixture.Clock.UtcNow = fixture.Log.Now;
            MonitorResult result = await client.MonitorAsync(Alice, Cancellation);
            Assert.Equal([2UL], result.Alarms.Select(alarm => alarm.Version));
            Assert.Equal(3, result.NewVersions.Count);
        }
        using JournalClientStateStore reopened = await fixture.OpenStoreAsync();
        OptiksClient later = fixture.Client(reopened);
        Assert.Equal([2UL], (await later.MonitorAsync(Alice, Cancellation)).Alarms.Select(alarm => alarm.Version));
        Alarm[] alarms = [.. (await later.ReviewAlarmsAsync(Alice, Cancellation)).Alarms.Select(reviewed => reviewed.Alarm)];
        Assert.Equal(1, later.AcknowledgeAlarms(Alice, alarms));
        Assert.Empty((await later.MonitorAsync(Alice, Cancellation)).Alarms);
        Assert.Equal(0, later.AcknowledgeAlarms(Alice, alarms));
    }

    [Fact]
    public async Task Only_alarms_that_were_held_are_shown_with_their_values_and_acknowledged()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "false one"));
        fixture.Publish(("alice", "false two"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Assert.Empty((await client.ReviewAlarmsAsync(Alice, Cancellation)).Alarms);
        Assert.Equal(2, (await client.MonitorAsync(Alice, Cancellation)).Alarms.Count);
        fixture.Publish(("alice", "false three"));

        AlarmReview review = await client.ReviewAlarmsAsync(Alice, Cancellation);
        MonitorResult monitored = await client.MonitorAsync(Alice, Cancellation);
        int ended = client.AcknowledgeAlarms(Alice, [.. review.Alarms.Select(reviewed => reviewed.Alarm)]);

        Assert.Equal(["false one", "false two"],
            review.Alarms.Select(reviewed => Encoding.UTF8.GetString(reviewed.Version!.Value!.Value.Span)));
        Assert.Equal((2, 3), (ended, monitored.Alarms.Count));
        Assert.Equal([3UL], (await client.MonitorAsync(Alice, Cancellation)).Alarms.Select(alarm => alarm.Version));
    }

    [Fact]
    public async Task A_review_takes_as_few_pages_as_hold_the_alarms()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(9, i => [("alice", $"{i + 1}")]);
        fixture.Publish();
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        Alarm[] alarms = [.. (await client.MonitorAsync(Alice, Cancellation)).Alarms];
        Assert.Equal(6, client.AcknowledgeAlarms(Alice, [.. alarms.Where(alarm => alarm.Version is not (2 or 3 or 9))]));
        fixture.Server.PageSize = 3;
        fixture.Server.Requests.Clear();

        AlarmReview review = await client.ReviewAlarmsAsync(Alice, Cancellation);

        Assert.Equal(["2", "3", "9"], review.Alarms.Select(reviewed => Encoding.UTF8.GetString(reviewed.Version!.Value!.Value.Span)));
        Assert.Equal(2, fixture.Server.Requests.Count);
    }

    [Fact]
    public async Task A_fake_first_version_is_an_alarm_and_so_is_an_old_value_that_comes_back()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "fake"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        await client.UpdateAsync(Alice, "one"u8.ToArray(), cancellationToken: Cancellation);
        await client.UpdateAsync(Alice, "two"u8.ToArray(), cancellationToken: Cancellation);
        fixture.Publish(("alice", "one"));

        MonitorResult result = await client.MonitorAsync(Alice, Cancellation);

        Assert.Equal([1UL, 4UL], result.Alarms.Select(alarm => alarm.Version));
    }

    [Fact]
    public async Task Monitoring_goes_over_pages_and_refuses_a_page_that_is_hidden()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Log.PublishMany(7, i => [("alice", $"{i}")]);
        fixture.Publish();
        fixture.Server.PageSize = 3;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store);
        fixture.Server.Mutate = (path, answer) => path == "/v1/monitor" ? answer[..^1] : answer;
        Assert.Equal(Verdict.Malformed, (await client.MonitorAsync(Alice, Cancellation)).Verdict);
        Assert.Empty(store.Current.OwnKeys);
        fixture.Server.Mutate = (_, answer) => answer;

        MonitorResult result = await client.MonitorAsync(Alice, Cancellation);

        Assert.Equal((7UL, 7, 7), (result.Version, result.NewVersions.Count, result.Alarms.Count));
    }

    [Fact]
    public async Task An_unreachable_server_is_an_exception_and_not_a_verdict()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        var options = new OptiksClientOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = [new Uri("http://127.0.0.1:1/")],
            RetryFor = TimeSpan.Zero,
        };
        var client = new OptiksClient(
            options, fixture.Http, new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence")), fixture.Clock);
        OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(() => client.LookupAsync("alice", Cancellation));
        Assert.Equal(ServerFailure.Unreachable, e.Failure);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("", true)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-", true)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", false)]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", true)]
    public async Task A_server_that_goes_away_is_unreachable_wherever_it_was(string answer, bool reset)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task serving = ServeAsync();
        var url = new Uri($"http://{listener.LocalEndpoint}/");
        var connection = new ServerConnection(fixture.Http, null, TimeSpan.FromSeconds(20), fixture.Clock);

        OptiksServerException e =
            await Assert.ThrowsAsync<OptiksServerException>(
                () => connection.SendAsync(new ServerRequest(url, "/v1/configuration", MediaTypes.Json, 1000), Cancellation));

        Assert.Equal(ServerFailure.Unreachable, e.Failure);
        listener.Stop();
        await serving;

        // The server must accept several connections, because HttpClient itself sends some requests again.
        async Task ServeAsync()
        {
            try
            {
                while (true)
                {
                    using Socket socket = await listener.AcceptSocketAsync(Cancellation);
                    socket.LingerState = new LingerOption(reset, 0);
                    if (answer.Length > 0)
                    {
                        _ = await socket.ReceiveAsync(new byte[4096], SocketFlags.None, Cancellation);
                        _ = await socket.SendAsync(Encoding.ASCII.GetBytes(answer), SocketFlags.None, Cancellation);
                    }
                }
            }
            catch (Exception e) when (e is SocketException or InvalidOperationException)
            {
                // The test has stopped the listener.
            }
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(256)]
    public async Task Keys_of_impossible_length_are_refused_before_anything_is_sent(int length)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        OptiksClient client = fixture.Client(new MemoryClientStateStore(FixtureLog.Anchor, fixture.Folder.In("evidence")));
        await Assert.ThrowsAsync<ArgumentException>(() => client.LookupAsync(new byte[length], Cancellation));
        Assert.Empty(fixture.Server.Requests);
        Assert.Equal(Reason.Valid, (await client.LookupAsync(new byte[255], Cancellation)).Reason);
    }
}
