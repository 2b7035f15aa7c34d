using System.Collections.Immutable;
using System.Net;
using System.Text.Json;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client.Tests;

/// <summary>VectorTests give the client the Python reference's answers, honest and changed, with what it is to remember: the verdict is the vector's.</summary>
public sealed class VectorTests
{
    // Lookups in later periods, of which a client without periods accepts none.
    private const string Periods = "periods_and_audit.json";

    public static TheoryData<string> Files => ["lookup.json", Periods];

    [Theory]
    [MemberData(nameof(Files))]
    public async Task Answers_get_the_verdict_of_the_reference(string file)
    {
        using var folder = new TemporaryFolder();
        using var document = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "lookup", file)));
        JsonElement anchors = document.RootElement.GetProperty("anchors");
        var wrong = new List<string>();
        int valid = 0;
        int refused = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            // A client keeps a record together with a checkpoint, never alone.
            if (vector.GetProperty("form").GetString() != "lookup" || vector.TryGetProperty("record", out _))
            {
                continue;
            }
            string expected = Expectation(vector);
            (string reason, string?[] values) = await RunAsync(anchors[vector.GetProperty("anchor").GetInt32()], vector, folder);
            if (reason != expected || (expected == "valid" && !values.SequenceEqual(Expected(vector))))
            {
                wrong.Add($"{vector.GetProperty("kind").GetString()}: {reason} instead of {expected}");
            }
            _ = expected == "valid" ? valid++ : refused++;
        }
        Assert.Empty(wrong);
        Assert.True(refused >= 1 && (valid >= 2 || file == Periods), $"{valid} valid and {refused} refused vectors were tried");
    }

    // A client without time periods refuses what is valid in a later one (docs/spec/records.md section 6).
    private static string Expectation(JsonElement vector)
    {
        string reason = vector.GetProperty("reason").GetString()!;
        return reason == "valid" && EpochRecord.Decode(Hex(vector, "answer").AsSpan(0, EpochRecord.Length)).Period > 0 ? "record_period" : reason;
    }

    private static async Task<(string Reason, string?[] Values)> RunAsync(JsonElement anchorJson, JsonElement vector, TemporaryFolder folder)
    {
        byte[] configuration = Hex(anchorJson, "configuration");
        var anchor = TrustAnchor.Create(configuration, new VerifierKey(Configuration.Decode(configuration).Origin, SignatureType.Ed25519, Hex(anchorJson, "log_key")));
        ReadOnlyMemory<byte>[] keys = [.. vector.GetProperty("keys").EnumerateArray().Select(key => new ReadOnlyMemory<byte>(Convert.FromHexString(key.GetString()!)))];
        var store = new MemoryClientStateStore(anchor, folder.Path);
        store.TryUpdate(state => state with { Head = Head(vector), Keys = Known(vector, keys) }, ["remembered"u8.ToArray()]);
        using var http = new HttpClient(new Answering(Hex(vector, "answer")));
        var clock = new SetClock { UtcNow = DateTimeOffset.FromUnixTimeMilliseconds(vector.GetProperty("now_ms").GetInt64()) };
        var options = new OptiksClientOptions { TrustAnchor = anchor, QueryUrls = [new Uri("http://vectors.test/")], RetryFor = TimeSpan.Zero };
        IReadOnlyList<LookupResult> results = await new OptiksClient(options, http, store, clock).LookupAsync(keys, TestContext.Current.CancellationToken);
        return (results[0].Reason.Name(), [.. results.Select(result => result.Value is { } value ? Convert.ToHexStringLower(value.Span) : null)]);
    }

    // These vectors keep a checkpoint without a record, a client both: the answer's own record stands in, which passes every comparison.
    private static HeadState? Head(JsonElement vector) => !vector.TryGetProperty("checkpoint", out JsonElement checkpoint)
        ? null
        : new HeadState
        {
            Size = checkpoint.GetProperty("size").GetUInt64(),
            Root = Hex(checkpoint, "root"),
            Checkpoint = [],
            Record = Hex(vector, "answer").Length >= EpochRecord.Length ? Hex(vector, "answer")[..EpochRecord.Length] : new byte[EpochRecord.Length],
        };

    private static ImmutableDictionary<string, KeyState> Known(JsonElement vector, ReadOnlyMemory<byte>[] keys)
    {
        ImmutableDictionary<string, KeyState> states = ImmutableDictionary<string, KeyState>.Empty;
        for (int i = 0; i < keys.Length; i++)
        {
            ulong least = vector.TryGetProperty("least_epoch", out JsonElement epochs) ? epochs[i].GetUInt64() : 0;
            JsonElement? known = vector.TryGetProperty("known", out JsonElement list) && list[i].ValueKind == JsonValueKind.Object ? list[i] : null;
            ulong version = known?.GetProperty("version").GetUInt64() ?? 0;
            states = states.Add(Base64UrlText.Encode(keys[i].Span), new KeyState
            {
                LeastEpoch = least,
                Period = known?.GetProperty("period").GetUInt64() ?? 0,
                Version = version,
                Time = Number(known, "page_time") ?? 0,
                AbsentEpoch = Number(known, "absent_at"),
                ValueSha256 = version == 0 ? null : ValueHash.Of("remembered"u8),
            });
        }
        return states;
    }

    private static IEnumerable<string?> Expected(JsonElement vector)
    {
        foreach (JsonElement result in vector.GetProperty("results").EnumerateArray())
        {
            string version = result.GetProperty("version").GetUInt64().ToString(System.Globalization.CultureInfo.InvariantCulture);
            yield return result.GetProperty("values").TryGetProperty(version, out JsonElement value) ? value.GetString()
                : version == "0" ? null
                : Convert.ToHexStringLower("remembered"u8);
        }
    }

    private static ulong? Number(JsonElement? element, string name) =>
        element is { } present && present.TryGetProperty(name, out JsonElement number) && number.ValueKind == JsonValueKind.Number ? number.GetUInt64() : null;

    private static byte[] Hex(JsonElement element, string name) => Convert.FromHexString(element.GetProperty(name).GetString()!);

    private sealed class Answering(byte[] answer) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            var content = new ByteArrayContent(answer);
            content.Headers.ContentType = new(MediaTypes.Lookup);
            return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK) { Content = content });
        }
    }
}
