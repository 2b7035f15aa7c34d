using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Holds the contents of a file of tests/vectors/lookup: answers that the Python reference made, and the expected verdict on each
/// of them.</summary>
internal sealed record AnswerVectors(
    IReadOnlyList<byte[]> Configurations, IReadOnlyList<byte[]> LogKeys, IReadOnlyList<byte[]> LogIds, IReadOnlyList<AnswerVector> Vectors)
{
    public static IReadOnlyList<AnswerVectors> LoadAll() =>
        [.. ((string[])["lookup", "versions", "periods_and_audit"]).Select(
            name => Load(Path.Combine(AppContext.BaseDirectory, "vectors", "lookup", $"{name}.json")))];

    private static AnswerVectors Load(string path)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(path));
        JsonElement root = document.RootElement;
        return new AnswerVectors(
            [.. root.GetProperty("anchors").EnumerateArray().Select(anchor => Hex(anchor.GetProperty("configuration")))],
            [.. root.GetProperty("anchors").EnumerateArray().Select(anchor => Hex(anchor.GetProperty("log_key")))],
            [.. root.GetProperty("anchors").EnumerateArray().Select(anchor => Hex(anchor.GetProperty("log_id")))],
            [.. root.GetProperty("vectors").EnumerateArray().Select(Parse)]);
    }

    private static AnswerVector Parse(JsonElement vector) => new(
        vector.GetProperty("form").GetString()!,
        vector.GetProperty("anchor").GetInt32(),
        vector.GetProperty("now_ms").GetUInt64(),
        vector.TryGetProperty("keys", out JsonElement keys) ? [.. keys.EnumerateArray().Select(Hex)] : [],
        Hex(vector.GetProperty("answer")),
        vector.GetProperty("reason").GetString()!,
        vector.TryGetProperty("checkpoint", out JsonElement checkpoint)
            ? (checkpoint.GetProperty("size").GetUInt64(), Hex(checkpoint.GetProperty("root")))
            : null,
        vector.TryGetProperty("record", out JsonElement record) ? Hex(record) : [],
        vector.TryGetProperty("known", out JsonElement known) ? [.. known.EnumerateArray().Select(ParseKnown)] : null,
        vector.TryGetProperty("least_epoch", out JsonElement least) ? [.. least.EnumerateArray().Select(epoch => epoch.GetUInt64())] : null,
        vector.TryGetProperty("stored", out JsonElement stored) ? Hex(stored) : null,
        vector.TryGetProperty("period_record", out JsonElement period) ? Hex(period) : [],
        vector.TryGetProperty("structures", out JsonElement structures)
            ? [.. structures.EnumerateArray().Select(structure => (StructureId)structure.GetByte())]
            : [],
        vector.TryGetProperty("results", out JsonElement results) ? [.. results.EnumerateArray().Select(ParseResult)] : []);

    private static KnownVector? ParseKnown(JsonElement known) => known.ValueKind == JsonValueKind.Null ? null : new KnownVector(
        known.GetProperty("period").GetUInt64(),
        known.GetProperty("version").GetUInt64(),
        Optional(known.GetProperty("absent_at")),
        Optional(known.GetProperty("page_time")),
        known.GetProperty("page_version").GetUInt64());

    private static ResultVector ParseResult(JsonElement result) => new(
        result.GetProperty("version").GetUInt64(),
        Optional(result.GetProperty("time")),
        result.GetProperty("values").EnumerateObject().ToDictionary(
            value => ulong.Parse(value.Name, System.Globalization.CultureInfo.InvariantCulture),
            value => value.Value.ValueKind == JsonValueKind.Null ? null : Hex(value.Value)),
        result.GetProperty("complete").GetBoolean());

    private static ulong? Optional(JsonElement number) => number.ValueKind == JsonValueKind.Null ? null : number.GetUInt64();

    private static byte[] Hex(JsonElement text) => Convert.FromHexString(text.GetString()!);
}

internal sealed record AnswerVector(
    string Form, int Anchor, ulong NowMs, IReadOnlyList<byte[]> Keys, byte[] Answer, string Reason, (ulong Size, byte[] Root)? Checkpoint,
    byte[] Record,
    IReadOnlyList<KnownVector?>? Known, IReadOnlyList<ulong>? LeastEpochs, byte[]? Stored, byte[] PeriodRecord,
    IReadOnlyList<StructureId> Structures, IReadOnlyList<ResultVector> Results);

internal sealed record KnownVector(ulong Period, ulong Version, ulong? AbsentAt, ulong? PageTime, ulong PageVersion);

internal sealed record ResultVector(ulong Version, ulong? Time, IReadOnlyDictionary<ulong, byte[]?> Values, bool Complete);
