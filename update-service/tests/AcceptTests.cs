using System.Text;
using Optiks.Storage;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests that updates are accepted, durable and idempotent.</summary>
public sealed class AcceptTests
{
    [Fact]
    public async Task An_update_is_in_the_database_before_its_answer()
    {
        var engine = new WrappedEngine();
        await using Service service = await Service.StartAsync(engine: engine);
        var committed = new TaskCompletionSource();
        var release = new TaskCompletionSource();
        engine.AfterAccept = () =>
        {
            committed.SetResult();
            return release.Task;
        };
        Guid id = Ids.New();
        Task<Answer> answer = service.PostAsync($$"""{"request_id":"{{id}}","key":"alice","value":"v1"}""");
        await committed.Task.WaitAsync(TestContext.Current.CancellationToken);

        // Another connection sees the row, so the row is committed. The caller has no answer yet.
        Assert.True(service.Database.Has(id));
        Assert.False(answer.IsCompleted);
        release.SetResult();

        Answer accepted = await answer;
        Assert.Equal(202, accepted.Status);
        Assert.Equal("application/json", accepted.MediaType);
        Assert.Equal($$"""{"request_id":"{{id}}","status":"pending","status_url":"/v1/updates/{{id}}"}""", accepted.Json.GetRawText());
        Assert.Equal($"/v1/updates/{id}", accepted.Headers.Location?.OriginalString);
        Assert.True(accepted.Headers.CacheControl?.NoStore);
    }

    [Fact]
    public async Task Text_and_octets_are_stored_as_they_were_sent()
    {
        await using Service service = await Service.StartAsync();
        Answer answer = await service.PostAsync("""
            [{"key":"z\u00fcrich","value":"\"quoted\""},
             {"key_b64":"AP8","value_b64":"AAEC"},
             {"items":[{"key":"a","value":""},{"value":"w","key_b64":"Yg"}]}]
            """);
        Assert.Equal(202, answer.Status);
        Assert.Null(answer.Headers.Location);
        Assert.Equal(3, answer.Json.GetArrayLength());
        Assert.Equal(3, answer.Json.EnumerateArray().Select(one => one.GetProperty("request_id").GetGuid()).Where(RequestIds.IsVersion7)
            .Distinct().Count());
        Assert.Equal(
            ["7AC3BC72696368 2271756F74656422", "00FF 000102", "61 ", "62 77"],
            service.Database.Pending().Select(row => $"{Convert.ToHexString(row.Key)} {Convert.ToHexString(row.Value)}"));
    }

    [Fact]
    public async Task The_same_content_is_the_same_request_however_it_is_written()
    {
        await using Service service = await Service.StartAsync();
        Guid id = Ids.New();
        string first = $$$"""{"request_id":"{{{id}}}","key":"alice","value":"v1","expected":{"period":0,"version":3}}""";
        Answer accepted = await service.PostAsync(first);
        Assert.Equal(202, accepted.Status);
        string before = service.Database.Contents();

        string[] same =
        [
            first,
            $$""" { "value" : "v1" , "expected":{"version":3,"period":0},"key":"\u0061lice", "request_id":"{{id.ToString().ToUpperInvariant()}}" } """,
            $$$"""{"request_id":"{{{id}}}","key_b64":"YWxpY2U","value_b64":"djE","expected":{"period":0,"version":3}}""",
            $$$"""{"request_id":"{{{id}}}","items":[{"key":"alice","value":"v1","expected":{"period":0,"version":3}}]}""",
        ];
        foreach (string body in same)
        {
            Answer again = await service.PostAsync(body);
            Assert.Equal(202, again.Status);
            Assert.Equal(accepted.Json.GetRawText(), again.Json.GetRawText());
        }

        string[] other =
        [
            $$$"""{"request_id":"{{{id}}}","key":"alice","value":"v2","expected":{"period":0,"version":3}}""",
            $$$"""{"request_id":"{{{id}}}","key":"alicf","value":"v1","expected":{"period":0,"version":3}}""",
            $$$"""{"request_id":"{{{id}}}","key":"alicev","value":"1","expected":{"period":0,"version":3}}""",
            $$$"""{"request_id":"{{{id}}}","key":"alice","value":"v1","expected":{"period":0,"version":4}}""",
            $$$"""{"request_id":"{{{id}}}","key":"alice","value":"v1","expected":{"period":1,"version":3}}""",
            $$"""{"request_id":"{{id}}","key":"alice","value":"v1"}""",
            $$$"""{"request_id":"{{{id}}}","items":[{"key":"alice","value":"v1","expected":{"period":0,"version":3}},{"key":"bob","value":"v1"}]}""",
        ];
        foreach (string body in other)
        {
            (await service.PostAsync(body)).IsProblem("request-id-reused", 409, "$.request_id");
        }
        (await service.PostAsync($$"""[{"key":"bob","value":"v"},{{other[0]}}]""")).IsProblem("request-id-reused", 409, "$[1].request_id");
        Assert.Equal(before, service.Database.Contents());
    }

    [Fact]
    public async Task A_list_is_stored_whole_in_its_order_or_not_at_all()
    {
        await using Service service = await Service.StartAsync();
        Guid known = Ids.New();
        Assert.Equal(202, (await service.PostAsync($$"""{"request_id":"{{known}}","key":"known","value":"v"}""")).Status);
        string before = service.Database.Contents();
        (await service.PostAsync(
            $$"""[{"key":"a","value":"1"},{"key":"b","value":"2"},{"request_id":"{{known}}","key":"known","value":"other"}]"""))
            .IsProblem("request-id-reused", 409, "$[2].request_id");
        Assert.Equal(before, service.Database.Contents());

        // A request that is repeated within a list gets an answer like the others, but is stored only once.
        Answer accepted = await service.PostAsync(
            $$"""[{"key":"a","value":"1"},{"request_id":"{{known}}","key":"known","value":"v"},{"key":"a","value":"2"},{"request_id":"{{known}}","key":"known","value":"v"}]""");
        Assert.Equal(202, accepted.Status);
        Assert.Equal(4, accepted.Json.GetArrayLength());
        Assert.Equal(["v", "1", "2"], service.Database.Pending().Select(row => Encoding.UTF8.GetString(row.Value)));
    }

    [Fact]
    public async Task Racing_requests_of_one_id_have_one_winner()
    {
        await using Service service = await Service.StartAsync();
        for (int round = 0; round < 10; round++)
        {
            Guid id = Ids.New();
            Answer[] answers = await Task.WhenAll(Enumerable.Range(0, 16).Select(i =>
                service.PostAsync($$"""{"request_id":"{{id}}","key":"race-{{round}}","value":"{{i % 4}}"}""")));
            string winner = Encoding.UTF8.GetString(
                service.Database.Pending().Single(row => Encoding.UTF8.GetString(row.Key) == $"race-{round}").Value);
            for (int i = 0; i < answers.Length; i++)
            {
                Assert.Equal($"{i % 4}" == winner ? 202 : 409, answers[i].Status);
            }
        }
        Assert.Equal(10, service.Database.Requests());
    }

    [Fact]
    public async Task Seventeen_updates_of_one_key_are_too_many()
    {
        await using Service service = await Service.StartAsync();
        string list = $"[{string.Join(',', Enumerable.Range(0, 16).Select(i => $$"""{"key":"flood","value":"{{i}}"}"""))}]";
        Assert.Equal(202, (await service.PostAsync(list)).Status);
        string before = service.Database.Contents();
        (await service.PostAsync("""{"key":"flood","value":"v"}""")).IsProblem("too-many-pending", 429, "$.key");
        (await service.PostAsync("""{"key_b64":"Zmxvb2Q","value":"v"}""")).IsProblem("too-many-pending", 429, "$.key_b64");
        (await service.PostAsync(
            """[{"key":"other","value":"v"},{"items":[{"key":"a","value":"v"},{"key":"flood","value":"v"}]}]""")).IsProblem(
                "too-many-pending", 429, "$[1].items[1].key");
        Assert.Equal(before, service.Database.Contents());

        await service.Log.StartAsync();
        await service.Log.PublishAsync();
        Assert.Equal(202, (await service.PostAsync("""{"key":"flood","value":"v"}""")).Status);
    }

    [Fact]
    public async Task A_known_id_is_answered_whatever_its_time()
    {
        var clock = new MovedTime();
        await using Service service = await Service.StartAsync(engine: new WrappedEngine(clock));
        string body = $$"""{"request_id":"{{Ids.New()}}","key":"alice","value":"v"}""";
        Assert.Equal(202, (await service.PostAsync(body)).Status);

        clock.Moved = TimeSpan.FromHours(25);
        Assert.Equal(202, (await service.PostAsync(body)).Status);
        (await service.PostAsync($$"""{"request_id":"{{Ids.New()}}","key":"alice","value":"v"}""")).IsProblem(
            "request-id-time", 400, "$.request_id");

        // The caller is never at fault for an id made by the server.
        string before = service.Database.Contents();
        (await service.PostAsync("""{"key":"alice","value":"v"}""")).IsProblem("unavailable", 503, null);
        Assert.Equal(before, service.Database.Contents());
    }

    [Fact]
    public async Task The_log_s_own_limits_hold()
    {
        await using Service service =
            await Service.StartAsync(new() { ["Optiks:Log:MaxKeyLength"] = "8", ["Optiks:Log:MaxValueLength"] = "10" });
        (await service.PostAsync("""{"key":"123456789","value":"v"}""")).IsProblem("key-length", 400, "$.key");
        (await service.PostAsync("""{"key":"12345678","value":"12345678901"}""")).IsProblem("value-length", 400, "$.value");
        Assert.Equal(202, (await service.PostAsync("""{"key":"12345678","value":"1234567890"}""")).Status);

        // The trust anchor that the update-task makes later wins.
        var configuration = new Protocol.Configuration { Origin = "test/log", MaxKeyLength = 9, MaxValueLength = 11 };
        var key = new Tlog.VerifierKey("test/log", Tlog.SignatureType.Ed25519, Native.Ed25519.PublicKey(new byte[32]));
        Protocol.TrustAnchor.Create(configuration.Encode(), key).Save(service.Data.TrustAnchor);
        Assert.Equal(202, (await service.PostAsync("""{"key":"123456789","value":"12345678901"}""")).Status);
        (await service.PostAsync("""{"key":"1234567890","value":"v"}""")).IsProblem("key-length", 400, "$.key");
    }

    /// <summary>Provides the machine's clock, moved by an offset.</summary>
    private sealed class MovedTime : TimeProvider
    {
        public TimeSpan Moved { get; set; }

        public override DateTimeOffset GetUtcNow() => System.GetUtcNow() + Moved;
    }
}
