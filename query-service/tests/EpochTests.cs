using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests the endpoints for records, heads, audit proofs and the configuration over HTTP.</summary>
public sealed class EpochTests
{
    private readonly Replica _replica;

    public EpochTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    private List<Storage.EpochRow> Records => _replica.Log.Records;

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(71)]
    public async Task A_record_is_that_of_the_log_and_immutable(int epoch)
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get($"/v1/epochs/{epoch}", MediaTypes.Record));
        Assert.Equal(Records[epoch].Record.ToArray(), await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken));
        CheckImmutable(response);
        JsonElement json = await _replica.JsonAsync(Replica.Get($"/v1/epochs/{epoch}"));
        Assert.Equal(epoch, json.GetProperty("epoch").GetInt32());
    }

    [Fact]
    public async Task What_a_client_has_is_not_sent_again()
    {
        using HttpResponseMessage first = await _replica.SendAsync(Replica.Get("/v1/epochs/3", MediaTypes.Record));
        HttpRequestMessage again = Replica.Get("/v1/epochs/3", MediaTypes.Record);
        again.Headers.IfNoneMatch.Add(first.Headers.ETag!);
        using HttpResponseMessage second = await _replica.SendAsync(again);
        Assert.Equal(HttpStatusCode.NotModified, second.StatusCode);
        Assert.Empty(await second.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken));
        // The same record in JSON, and records of other epochs in binary form, must have other entity tags.
        foreach (HttpRequestMessage other in (HttpRequestMessage[])[Replica.Get("/v1/epochs/3"),
            Replica.Get("/v1/epochs/4", MediaTypes.Record)])
        {
            other.Headers.IfNoneMatch.Add(first.Headers.ETag!);
            using HttpResponseMessage sent = await _replica.SendAsync(other);
            Assert.Equal(HttpStatusCode.OK, sent.StatusCode);
        }
    }

    [Fact]
    public async Task The_latest_head_verifies()
    {
        using HttpResponseMessage response = await _replica.SendAsync(Replica.Get("/v1/epochs/latest", MediaTypes.Head));
        byte[] head = await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
        HeadVerdict verdict = Verifier.VerifyHead(_replica.Context(), head);
        Assert.Equal((Reason.Valid, 71UL), (verdict.Reason, verdict.Head!.Epoch));
        Assert.Equal(TimeSpan.FromSeconds(1), response.Headers.CacheControl?.MaxAge);
        head[100] ^= 1;
        Assert.NotEqual(Reason.Valid, Verifier.VerifyHead(_replica.Context(), head).Reason);
        JsonElement json = await _replica.JsonAsync(Replica.Get("/v1/epochs/latest?checkpoint_size=72"));
        Assert.Equal(71, json.GetProperty("record_fields").GetProperty("epoch").GetInt32());
        Assert.Equal("", json.GetProperty("checkpoint").GetString());
        await _replica.ProblemAsync(Replica.Get("/v1/epochs/latest?checkpoint_size=73"), ProblemTypes.NotCaughtUp);
    }

    [Theory]
    [InlineData("1", 0, 1)]
    [InlineData("71", 70, 71)]
    [InlineData("0-1", 0, 1)]
    [InlineData("2-4", 2, 4)]
    [InlineData("0-71", 0, 71)]
    public async Task An_audit_proof_leads_from_one_record_to_the_other(string range, int first, int last)
    {
        using HttpResponseMessage response =
            await _replica.SendAsync(Replica.Get($"/v1/epochs/{range}/audit-proof", MediaTypes.AuditProof));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        CheckImmutable(response);
        byte[] proof = await response.Content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken);
        AuditVerdict verdict = Verifier.Audit(_replica.Context(), Records[first].Record.Span, Records[0].Record.Span, proof);
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.Equal(Records[last].Record.ToArray(), verdict.NewRecord.ToArray());
        ReadOnlyMemory<byte> other = Records[(first + 1) % Records.Count].Record;
        Assert.Equal(Reason.AuditStart, Verifier.Audit(_replica.Context(), other.Span, Records[0].Record.Span, proof).Reason);
        JsonElement json = await _replica.JsonAsync(Replica.Get($"/v1/epochs/{range}/audit-proof"));
        Assert.Equal(last - first + 1, json.GetProperty("records").GetArrayLength());
    }

    [Fact]
    public async Task A_proof_of_one_step_is_the_boards_file()
    {
        Assert.Equal(
            await _replica.OctetsAsync(Replica.Get("/log/audit/003")),
            await _replica.OctetsAsync(Replica.Get("/v1/epochs/3/audit-proof", MediaTypes.AuditProof)));
    }

    [Theory]
    [InlineData("/v1/epochs/72", "not-found")]
    [InlineData("/v1/epochs/18446744073709551615", "not-found")]
    [InlineData("/v1/epochs/18446744073709551616", "malformed-request")]
    [InlineData("/v1/epochs/-1", "malformed-request")]
    [InlineData("/v1/epochs/01", "malformed-request")]
    [InlineData("/v1/epochs/x", "malformed-request")]
    [InlineData("/v1/epochs/0/audit-proof", "not-found")]
    [InlineData("/v1/epochs/72/audit-proof", "not-found")]
    [InlineData("/v1/epochs/70-72/audit-proof", "not-found")]
    [InlineData("/v1/epochs/3-3/audit-proof", "malformed-request")]
    [InlineData("/v1/epochs/4-3/audit-proof", "malformed-request")]
    [InlineData("/v1/epochs/1-2-3/audit-proof", "malformed-request")]
    [InlineData("/v1/epochs/-3/audit-proof", "malformed-request")]
    [InlineData("/v1/epochs/3-/audit-proof", "malformed-request")]
    [InlineData("/v1/epochs/0-257/audit-proof", "range-too-large")]
    public async Task What_is_not_an_epoch_is_refused(string path, string type)
    {
        await _replica.ProblemAsync(Replica.Get(path), ProblemTypes.All.Single(known => known.Name == type));
    }

    [Fact]
    public async Task The_configuration_is_the_trust_anchors()
    {
        JsonElement json = await _replica.JsonAsync(Replica.Get("/v1/configuration"));
        Assert.Equal(_replica.Log.Anchor.LogKey.ToString(), json.GetProperty("log_key").GetString());
        Assert.Equal(Base64UrlText.Encode(_replica.Log.Anchor.ConfigurationOctets.Span), json.GetProperty("configuration").GetString());
        await _replica.ProblemAsync(Replica.Get("/v1/configuration", "text/html"), ProblemTypes.NotAcceptable);
    }

    private static void CheckImmutable(HttpResponseMessage response)
    {
        CacheControlHeaderValue cache = response.Headers.CacheControl!;
        Assert.True(cache.Public);
        Assert.Equal(TimeSpan.FromDays(365), cache.MaxAge);
        Assert.Contains(cache.Extensions, extension => extension.Name == "immutable");
        Assert.NotNull(response.Headers.ETag);
        Assert.Contains("Accept", response.Headers.Vary);
    }
}
