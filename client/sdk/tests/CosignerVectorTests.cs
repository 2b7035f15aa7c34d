using System.Collections.Immutable;
using System.Net;
using System.Text;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>
/// Gives the client true and false cosignatures from servers, and expects the Python reference's verdict (docs/spec/cosigners.md).
/// </summary>
public sealed class CosignerVectorTests
{
    [Fact]
    public async Task Cosignatures_get_the_verdict_of_the_reference()
    {
        using var document = Vectors.Read("cosigners/judged.json");
        var board = new MemoryBoard(
            document.RootElement.GetProperty("entries").EnumerateArray().Select(entry => Convert.FromHexString(entry.GetString()!)));
        var wrong = new List<string>();
        var seen = new HashSet<string>();
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            bool? mayLeaveOut = vector.TryGetProperty("may_leave_out", out JsonElement may) ? may.GetBoolean() : null;
            string expected = Row(vector.GetProperty("reason").GetString()!, vector.GetProperty("audited").GetBoolean(), mayLeaveOut);
            string found = await JudgeAsync(vector, board);
            seen.Add(found);
            if (found != expected)
            {
                wrong.Add($"{vector.GetProperty("kind").GetString()}: {found} instead of {expected}");
            }
        }
        Assert.Empty(wrong);
        Assert.Equal(6, seen.Count);
    }

    private static async Task<string> JudgeAsync(JsonElement vector, MemoryBoard board)
    {
        var anchor = TrustAnchor.Parse(Text(vector, "trust_anchor"));
        byte[] note = Text(vector, "head");
        Assert.Equal(Reason.Valid, VerifiedNote.Verify(anchor, note, out VerifiedNote? head));
        ulong from = vector.GetProperty("from").GetUInt64();
        ulong epoch = vector.GetProperty("epoch").GetUInt64();
        var clock = new SetClock { UtcNow = DateTimeOffset.FromUnixTimeMilliseconds(vector.GetProperty("now_ms").GetInt64()) };
        using var http = new HttpClient(new Server(Text(vector, "answer"), board));
        var options = new OptiksClientOptions
        {
            TrustAnchor = anchor,
            QueryUrls = [new Uri("http://vectors.test/")],
            RetryFor = TimeSpan.Zero,
        };
        var watch = new CosignerWatch(options, new ServerConnection(http, null, options.AnswerWithin, clock), clock);
        var kept = new HeadState { Size = head!.Size, Root = head.Root, Checkpoint = note, Record = [] };

        CosignerView view = await watch.SeeAsync(new CosignerView(kept, ImmutableDictionary<string, CosignerState>.Empty), from, epoch,
            options.QueryUrls[0], mayWait: false, TestContext.Current.CancellationToken);

        var coverage = new Coverage(anchor.Policy, view.Cosigners);
        return view.Fork is not null ? Row("fork", false, null)
            : !coverage.IsWitnessed(epoch) ? Row("witness_quorum", false, coverage.MayLeaveOut(from))
            : Row("valid", coverage.IsAudited(from, epoch), coverage.MayLeaveOut(from));
    }

    private static string Row(string reason, bool audited, bool? mayLeaveOut) =>
        $"{reason}, {(audited ? "audited" : "not audited")}, may leave out: {mayLeaveOut}";

    private static byte[] Text(JsonElement vector, string name) => Encoding.UTF8.GetBytes(vector.GetProperty(name).GetString()!);

    private sealed class Server(byte[] answer, MemoryBoard board) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            string path = request.RequestUri!.AbsolutePath;
            byte[]? body = path == "/v1/cosignatures"
                ? answer
                : TilePath.TryParse(path["/log/".Length..], out TilePath tile) ? board.Tile(tile) : null;
            var content = new ByteArrayContent(body ?? []);
            content.Headers.ContentType = new("application/json");
            return Task.FromResult(
                new HttpResponseMessage(body is null ? HttpStatusCode.NotFound : HttpStatusCode.OK) { Content = content });
        }
    }
}
