using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>Tests history and monitoring over HTTP. The native verifier checks the answers.</summary>
public sealed class VersionsTests
{
    private readonly Replica _replica;

    public VersionsTests(PublishedLog published)
    {
        ArgumentNullException.ThrowIfNull(published);
        _replica = published.Replica;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_versions_verify(bool monitor)
    {
        byte[] answer = await AskAsync(monitor, Query("alice"), Query("nobody"), Query("user3"));
        VersionsVerdict verdict = Verify(answer, [default, default, default], "alice", "nobody", "user3");
        Assert.Equal(Reason.Valid, verdict.Reason);
        Assert.All(verdict.Keys, key => Assert.True(key.Complete));
        Assert.Equal([5UL, 0UL, 1UL], verdict.Keys.Select(key => key.Version));
        Assert.Equal(
            Enumerable.Range(1, 5).Select(i => $"alice {12 * i}"),
            verdict.Keys[0].Members.Select(member => Encoding.UTF8.GetString(answer[member.Value!.Value])));
        // After version 5, the latest, both answers prove that versions 6 and 8 are absent.
        Assert.Equal(2, VersionsAnswer.Decode(answer).Versions[0].Absent.Count);
    }

    [Fact]
    public async Task Long_histories_come_in_pages()
    {
        var known = default(KnownKey);
        var sizes = new List<int>();
        while (true)
        {
            byte[] answer = await AskAsync(false, Query("big", known.Version + 1));
            Assert.InRange(answer.Length, 1, (4 << 20) + (2 * PublishedLog.BigLength));
            VersionsVerdict verdict = Verify(answer, [known], "big");
            Assert.Equal(Reason.Valid, verdict.Reason);
            VerifiedVersions versions = verdict.Keys[0];
            sizes.Add(versions.Members.Count);
            Assert.All(versions.Members, member => Assert.Equal((byte)member.Version, answer[member.Value!.Value][0]));
            VerifiedVersion last = versions.Members[^1];
            known = new KnownKey(0, 0, last.Version, last.Time, null, versions.Version);
            if (versions.Complete)
            {
                break;
            }
        }
        Assert.Equal(2, sizes.Count);
        Assert.Equal(PublishedLog.BigVersions, sizes.Sum());
    }

    [Fact]
    public async Task Json_requests_begin_where_they_say()
    {
        byte[] answer = await _replica.OctetsAsync(
            Replica.Post("/v1/history", """{"key": "alice", "from": 4}""", MediaTypes.History), asOwner: true);
        Assert.Equal(await AskAsync(false, Query("alice", 4)), answer);
        JsonElement json = await _replica.JsonAsync(Replica.Post("/v1/monitor", """{"key": "alice", "from": 4}"""), asOwner: true);
        JsonElement versions = json.GetProperty("versions")[0];
        Assert.Equal((4, 5), (versions.GetProperty("from").GetInt32(), versions.GetProperty("version").GetInt32()));
        Assert.Equal(["alice 48", "alice 60"],
            versions.GetProperty("members").EnumerateArray().Select(member => member.GetProperty("value").GetString()));
    }

    [Theory]
    [InlineData("/v1/history")]
    [InlineData("/v1/monitor")]
    public async Task The_scope_is_needed(string path)
    {
        const string Body = """{"key": "alice"}""";
        await _replica.ProblemAsync(Replica.Post(path, Body), ProblemTypes.Unauthorized);
        HttpRequestMessage other = Replica.Post(path, Body);
        other.Headers.Authorization = new AuthenticationHeaderValue("Bearer", _replica.Log.UpdateKey);
        await _replica.ProblemAsync(other, ProblemTypes.Forbidden);
        await _replica.OctetsAsync(Replica.Post(path, Body), asOwner: true);
    }

    private static Query Query(string key, ulong from = 1) => new(Encoding.UTF8.GetBytes(key), 0, from);

    private Task<byte[]> AskAsync(bool monitor, params Query[] queries) =>
        _replica.OctetsAsync(
            Replica.Post(monitor ? "/v1/monitor" : "/v1/history", queries, monitor ? MediaTypes.Monitor : MediaTypes.History),
            asOwner: true);

    private VersionsVerdict Verify(byte[] answer, KnownKey[] known, params string[] names)
    {
        using var keys = new ByteStrings();
        Array.ForEach(names, name => keys.Add(Encoding.UTF8.GetBytes(name)));
        return Verifier.Versions(_replica.Context(), keys, known, answer);
    }
}
