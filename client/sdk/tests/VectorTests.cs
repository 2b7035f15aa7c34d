using System.Collections.Immutable;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Gives the client the Python reference's answers, honest and changed, together with the state that the vector gives, and expects the
/// vector's verdict.
/// </summary>
public sealed class VectorTests
{
    // This file has lookups in later periods, which a client accepts only after it has followed the log into these periods.
    private const string Periods = "periods_and_audit.json";

    public static TheoryData<string> Files => ["lookup.json", Periods];

    [Theory]
    [MemberData(nameof(Files))]
    public async Task Answers_get_the_verdict_of_the_reference(string file)
    {
        using var folder = new TemporaryFolder();
        using var document = Vectors.Read($"lookup/{file}");
        JsonElement anchors = document.RootElement.GetProperty("anchors");
        var wrong = new List<string>();
        int valid = 0;
        int refused = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            // Skip vectors with a kept record and no checkpoint, because a client never keeps a record without a checkpoint.
            if (vector.GetProperty("form").GetString() != "lookup" || vector.TryGetProperty("record", out _))
            {
                continue;
            }
            string expected = vector.GetProperty("reason").GetString()!;
            (string reason, string?[] values) = await RunAsync(anchors[vector.GetProperty("anchor").GetInt32()], vector, folder);
            if (reason != expected || (expected == "valid" && !values.SequenceEqual(Expected(vector))))
            {
                wrong.Add($"{vector.GetProperty("kind").GetString()}: {reason} instead of {expected}");
            }
            _ = expected == "valid" ? valid++ : refused++;
        }
        Assert.Empty(wrong);
        Assert.True((refused >= 1 || file == Periods) && valid >= 2, $"{valid} valid and {refused} refused vectors were tried");
    }

    private static async Task<(string Reason, string?[] Values)> RunAsync(
        JsonElement anchorJson, JsonElement vector, TemporaryFolder folder)
    {
        TrustAnchor anchor = Vectors.Anchor(anchorJson);
        ReadOnlyMemory<byte>[] keys =
            [.. vector.GetProperty("keys").EnumerateArray()
                .Select(key => new ReadOnlyMemory<byte>(Convert.FromHexString(key.GetString()!)))];
        var store = new MemoryClientStateStore(anchor, folder.Path);
        store.TryUpdate(state => state with { Head = Vectors.Head(vector), Chains = Known(vector, keys) }, ["remembered"u8.ToArray()]);
        using var http = new HttpClient(new Vectors.Answering(Vectors.Hex(vector, "answer"), MediaTypes.Lookup));
        IReadOnlyList<LookupResult> results =
            await Vectors.Client(anchor, vector, store, http).LookupAsync(keys, TestContext.Current.CancellationToken);
        return (results[0].Reason.Name(),
            [.. results.Select(result => result.Value is { } value ? Convert.ToHexStringLower(value.Span) : null)]);
    }

    private static ImmutableDictionary<StructureKey, Chain> Known(JsonElement vector, ReadOnlyMemory<byte>[] keys)
    {
        ImmutableDictionary<StructureKey, Chain> states = ImmutableDictionary<StructureKey, Chain>.Empty;
        for (int i = 0; i < keys.Length; i++)
        {
            ulong least = vector.TryGetProperty("least_epoch", out JsonElement epochs) ? epochs[i].GetUInt64() : 0;
            JsonElement? known = vector.TryGetProperty("known", out JsonElement list) && list[i].ValueKind == JsonValueKind.Object
                ? list[i]
                : null;
            ulong version = known?.GetProperty("version").GetUInt64() ?? 0;
            var at = new Cursor
            {
                Period = known?.GetProperty("period").GetUInt64() ?? 0,
                Version = version,
                Time = Vectors.Number(known, "page_time") ?? 0,
                AbsentEpoch = Vectors.Number(known, "absent_at"),
                ValueSha256 = version == 0 ? null : ValueHash.Of("remembered"u8),
            };
            states = states.Add(
                StructureKey.OfKey(Base64UrlText.Encode(keys[i].Span)), new Chain { Seen = new Seen { LeastEpoch = least, At = at } });
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
}
