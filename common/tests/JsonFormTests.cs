using System.Buffers.Binary;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Tests the JSON form of docs/spec/encoding.md section 4 with the answers in the test vectors.</summary>
public sealed class JsonFormTests
{
    private const int TimeOffset = 58;
    private static readonly string[] s_recordMembers = ["format", "log_id", "epoch", "period", "period_first_epoch", "time_ms",
        "structures", "previous"];
    private static readonly string[] s_headMembers = ["record", "record_fields", "inclusion", "consistency", "checkpoint"];

    [Fact]
    public void A_head_has_its_record_as_octets_and_as_fields()
    {
        byte[] answer = Valid("lookup").Answer;
        using var json = JsonDocument.Parse(Rendering.Of(writer => AnswerJson.WriteLookupAnswer(writer, answer)));
        JsonElement head = json.RootElement.GetProperty("head");
        Assert.Equal(s_headMembers, Names(head));
        Assert.Equal(Base64UrlText.Encode(answer.AsSpan(0, EpochRecord.Length)), head.GetProperty("record").GetString());
        AssertRecord(head.GetProperty("record_fields"));
    }

    [Fact]
    public void An_audit_proof_has_its_records_as_fields()
    {
        byte[] answer = Valid("audit").Answer;
        using var json = JsonDocument.Parse(Rendering.Of(writer => AnswerJson.WriteAuditProof(writer, answer)));
        Assert.Equal(["records", "structures"], Names(json.RootElement));
        Assert.NotEmpty(json.RootElement.GetProperty("records").EnumerateArray());
        Assert.All(json.RootElement.GetProperty("records").EnumerateArray(), AssertRecord);
        JsonElement[] structures = [.. json.RootElement.GetProperty("structures").EnumerateArray()];
        Assert.Equal(4, structures.Length);
        Assert.All(structures, structure => Assert.Equal(["leaves", "opened"], Names(structure)));
        Assert.All(structures.SelectMany(structure => structure.GetProperty("leaves").EnumerateArray()),
            leaf => Assert.Equal(["label", "commitment", "offset"], Names(leaf)));
    }

    [Theory]
    [InlineData((1UL << 53) - 1, true)]
    [InlineData(1UL << 53, false)]
    [InlineData(ulong.MaxValue, false)]
    public void An_integer_that_readers_would_round_has_no_form(ulong time, bool hasForm)
    {
        byte[] record = Valid("lookup").Answer[..EpochRecord.Length];
        BinaryPrimitives.WriteUInt64BigEndian(record.AsSpan(TimeOffset), time);
        ReadOnlyMemory<byte> Render() => Rendering.Of(writer => AnswerJson.WriteRecord(writer, record));
        if (!hasForm)
        {
            Assert.Throws<EncodingException>(() => Render());
            return;
        }
        using var json = JsonDocument.Parse(Render());
        Assert.Equal(time, json.RootElement.GetProperty("time_ms").GetUInt64());
    }

    private static void AssertRecord(JsonElement record)
    {
        Assert.Equal(s_recordMembers, Names(record));
        Assert.Equal(4, record.GetProperty("structures").GetArrayLength());
        Assert.All(record.GetProperty("structures").EnumerateArray(),
            structure => Assert.Equal(["root", "count", "vrf_public_key"], Names(structure)));
    }

    private static string[] Names(JsonElement element) => [.. element.EnumerateObject().Select(member => member.Name)];

    private static AnswerVector Valid(string form) =>
        AnswerVectors.LoadAll().SelectMany(file => file.Vectors).First(vector => vector.Form == form && vector.Reason == "valid");
}
