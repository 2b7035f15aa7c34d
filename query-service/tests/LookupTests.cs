using System.Net;
using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests lookups over HTTP. The native verifier checks the answers.</summary>
public sealed class LookupTests
{
    private readonly Replica _replica;

    public LookupTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    private ulong Newest => (ulong)_replica.Log.Records.Count - 1;

    [Fact]
    public async Task A_present_key_verifies_and_another_key_does_not()
    {
        byte[] answer = await AskAsync([Query("alice")]);
        LookupVerdict verdict = Verify(answer, "alice");
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(5UL, verdict.Keys[0].Version);
        Assert.Equal("alice 60", Encoding.UTF8.GetString(answer[verdict.Keys[0].Value!.Value]));
        Assert.Equal(Newest, verdict.Head!.Epoch);
        Assert.Equal(Newest + 1, verdict.Head.Size);
        Assert.NotEqual(Reason.Valid, Verify(answer, "user1").Reason);
    }

    [Fact]
    public async Task An_absent_key_is_proven_absent()
    {
        byte[] answer = await AskAsync([Query("nobody")]);
        LookupVerdict verdict = Verify(answer, "nobody");
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(0UL, verdict.Keys[0].Version);
        Assert.NotEqual(Reason.Valid, Verify(answer, "user1").Reason);
    }

    [Fact]
    public async Task A_batch_is_answered_in_order()
    {
        string[] names = [.. Enumerable.Range(0, 20).Select(i => $"user{i}"), "nobody", "alice",
            .. Enumerable.Range(0, 234).Select(i => $"absent{i}")];
        Assert.Equal(256, names.Length);
        byte[] answer = await AskAsync([.. names.Select(name => Query(name))]);
        LookupVerdict verdict = Verify(answer, names);
        Assert.Equal(Reason.Valid, verdict.Reason);
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal($"value {i}", Encoding.UTF8.GetString(answer[verdict.Keys[i].Value!.Value]));
        }
        Assert.Equal((0UL, 5UL), (verdict.Keys[20].Version, verdict.Keys[21].Version));
    }

    [Fact]
    public async Task A_known_version_is_not_proven_again()
    {
        byte[] full = await AskAsync([Query("big")]);
        LookupVerdict first = Verify(full, "big");
        Assert.Equal((ulong)PublishedLog.BigVersions, first.Keys[0].Version);
        byte[] answer = await AskAsync([Query("big", version: first.Keys[0].Version)]);
        Assert.True(answer.Length < full.Length - PublishedLog.BigLength);
        using var keys = Keys("big");
        var known = new KnownKey(Newest, 0, first.Keys[0].Version, first.Keys[0].Time, Newest);
        LookupVerdict verdict = Verifier.Lookup(_replica.Context(), keys, [known], answer);
        Assert.Equal((Reason.Valid, (ulong)PublishedLog.BigVersions), (verdict.Reason, verdict.Keys[0].Version));
        // The answer omits members for a client that knows a version. A client that knows no version cannot verify such an answer.
        Assert.Equal(Reason.LadderCount, Verify(answer, "big").Reason);
    }

    [Fact]
    public async Task Json_and_binary_requests_ask_the_same()
    {
        byte[] binary = await AskAsync([Query("alice", version: 3), Query("nobody")]);
        byte[] json = await _replica.OctetsAsync(Replica.Post(
            "/v1/lookup", """[{"key": "alice", "known": {"period": 0, "version": 3}}, {"key_b64": "bm9ib2R5"}]""", MediaTypes.Lookup));
        Assert.Equal(binary, json);
        byte[] one = await _replica.OctetsAsync(Replica.Get("/v1/lookup?key=alice", MediaTypes.Lookup));
        Assert.Equal(await AskAsync([Query("alice")]), one);
    }

    [Fact]
    public async Task Json_answers_show_the_value()
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Post("/v1/lookup", """{"key": "alice"}"""));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(MediaTypes.Json, response.Content.Headers.ContentType?.MediaType);
        Assert.True(response.Headers.CacheControl?.NoStore);
        JsonElement answer = await _replica.JsonAsync(Replica.Get("/v1/lookup?key=alice"));
        Assert.Equal(
            "alice 60", answer.GetProperty("lookups")[0].GetProperty("members").EnumerateArray().Last().GetProperty("value").GetString());
        Assert.Equal(Newest, answer.GetProperty("head").GetProperty("record_fields").GetProperty("epoch").GetUInt64());
    }

    [Fact]
    public async Task Binary_answers_have_their_type_and_length_and_are_not_stored()
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Post("/v1/lookup", [Query("alice")], MediaTypes.Lookup));
        Assert.Equal(MediaTypes.Lookup, response.Content.Headers.ContentType?.ToString());
        byte[] body = await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
        Assert.Equal(body.Length, response.Content.Headers.ContentLength);
        Assert.True(response.Headers.CacheControl?.NoStore);
        Assert.Contains("Accept", response.Headers.Vary);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(37)]
    [InlineData(71)]
    [InlineData(72)]
    public async Task A_kept_checkpoint_is_extended(int size)
    {
        // The newest checkpoint has the size 72. If the client already keeps it, the answer has neither a consistency proof nor a
        // checkpoint.
        byte[] answer = await _replica.OctetsAsync(Replica.Post($"/v1/lookup?checkpoint_size={size}", [Query("alice")], MediaTypes.Lookup));
        VerifierContext context = Keep(size);
        using var keys = Keys("alice");
        LookupVerdict verdict = Verifier.Lookup(context, keys, [default], answer);
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(Newest + 1, verdict.Head!.Size);
        Assert.Equal(size == 72, verdict.Head.Checkpoint.Start.Equals(verdict.Head.Checkpoint.End));
        Assert.Equal(size == 72 ? Reason.CheckpointMissing : Reason.CheckpointConsistency, Verify(answer, "alice").Reason);
        // The second request must get the same head, which the service may have to render again.
        Assert.Equal(
            answer, await _replica.OctetsAsync(Replica.Post($"/v1/lookup?checkpoint_size={size}", [Query("alice")], MediaTypes.Lookup)));
    }

    [Fact]
    public async Task A_client_ahead_of_the_replica_is_told()
    {
        Assert.Equal("?checkpoint_size",
            await _replica.ProblemAsync(Replica.Post("/v1/lookup?checkpoint_size=73", [Query("alice")]), ProblemTypes.NotCaughtUp));
    }

    [Theory]
    [InlineData("-1")]
    [InlineData("01")]
    [InlineData("")]
    [InlineData("1.0")]
    [InlineData("18446744073709551616")]
    [InlineData("1&checkpoint_size=1")]
    public async Task A_malformed_checkpoint_size_is_refused(string size)
    {
        Assert.Equal("?checkpoint_size",
            await _replica.ProblemAsync(
                Replica.Post($"/v1/lookup?checkpoint_size={size}", [Query("alice")]), ProblemTypes.MalformedRequest));
    }

    [Fact]
    public async Task A_head_for_a_kept_checkpoint_of_another_log_is_a_fork()
    {
        byte[] answer = await AskAsync([Query("alice")]);
        using var keys = Keys("alice");
        VerifierContext context = _replica.Context() with { KeptSize = Newest + 1, KeptRoot = new byte[32] };
        Assert.Equal(Reason.Fork, Verifier.Lookup(context, keys, [default], answer).Reason);
    }

    private static Query Query(string key, ulong version = 0) => new(Encoding.UTF8.GetBytes(key), 0, version);

    private static ByteStrings Keys(params string[] names)
    {
        var keys = new ByteStrings();
        Array.ForEach(names, name => keys.Add(Encoding.UTF8.GetBytes(name)));
        return keys;
    }

    private Task<byte[]> AskAsync(Query[] queries) => _replica.OctetsAsync(Replica.Post("/v1/lookup", queries, MediaTypes.Lookup));

    private LookupVerdict Verify(byte[] answer, params string[] names)
    {
        using ByteStrings keys = Keys(names);
        return Verifier.Lookup(_replica.Context(), keys, new KnownKey[names.Length], answer);
    }

    private VerifierContext Keep(int size)
    {
        // The client keeps the log's checkpoint of the size in `size`.
        Reason reason = LogVerifier.Checkpoint(
            _replica.Log.Anchor, _replica.Log.Records[size - 1].Checkpoint.Span, out ulong kept, out byte[] root);
        Assert.Equal((Reason.Valid, (ulong)size), (reason, kept));
        return _replica.Context() with { KeptSize = kept, KeptRoot = root };
    }
}
