using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>
/// Tests the verification of bounds of periods, ended periods and hand-overs in the native verifier, which C# calls, with the vectors of
/// the Python reference (tests/vectors/periods).
/// </summary>
public sealed class PeriodVerifierTests
{
    [Fact]
    public void Every_answer_with_bounds_gets_its_reason_and_epochs()
    {
        using JsonDocument file = Load("bounds");
        int valid = 0;
        int invalid = 0;
        foreach (JsonElement vector in Vectors(file))
        {
            byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
            PeriodsVerdict verdict = Verifier.Periods(
                AnswerVectorFiles.Context(file, vector), vector.GetProperty("period").GetUInt64(), answer);
            CheckReason(vector, verdict.Reason);
            if (verdict.Reason != Reason.Valid)
            {
                Assert.Null(verdict.Head);
                Assert.Empty(verdict.Bounds);
                Assert.Empty(verdict.Ends);
                invalid++;
                continue;
            }
            ulong[] expected = [.. vector.GetProperty("results").EnumerateArray().Select(epoch => epoch.GetUInt64())];
            Assert.Equal(expected, verdict.Bounds.Select(bound => EpochRecord.Decode(answer[bound]).Epoch));
            Assert.Equal(verdict.Head!.Epoch, EpochRecord.Decode(answer[verdict.Head.Record]).Epoch);
            EpochRecord[] records = [.. verdict.Bounds.Select(bound => EpochRecord.Decode(answer[bound]))];
            Assert.Equal(
                records.Zip(records.Skip(1)).Where(pair => pair.Second.PeriodFirstEpoch == pair.First.Epoch + 1)
                    .Select(pair => pair.First.Epoch),
                verdict.Ends.Select(end => EpochRecord.ReadEpoch(answer[end])));
            valid++;
        }
        Assert.True(valid >= 27, $"{valid} valid answers");
        Assert.True(invalid >= 49, $"{invalid} invalid answers");
    }

    [Fact]
    public void Every_answer_about_an_ended_period_and_every_hand_over_gets_its_reason()
    {
        using JsonDocument file = Load("handover");
        int valid = 0;
        int handovers = 0;
        foreach (JsonElement vector in Vectors(file))
        {
            JsonElement[] keys = [.. vector.GetProperty("keys").EnumerateArray()];
            using var asked = new ByteStrings();
            foreach (JsonElement key in keys)
            {
                asked.Add(AnswerVectorFiles.Hex(key));
            }
            KnownKey[] known = [.. Enumerable.Range(0, keys.Length).Select(i => Known(vector, i))];
            EndState?[] ends = vector.TryGetProperty("ends", out JsonElement given) ? [.. given.EnumerateArray().Select(End)] : [];
            byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
            VersionsVerdict verdict = Verifier.Versions(AnswerVectorFiles.Context(file, vector), asked, known, answer);
            // A verifier checks the hand-over after all other checks, for one key after another (docs/spec/periods.md section 6).
            Reason handover = ends.Zip(verdict.Keys).Where(key => key.First is not null && key.Second.From == 1)
                .Select(key => Verifier.Handover(verdict.Head!, key.Second, key.First!, answer))
                .FirstOrDefault(reason => reason != Reason.Valid);
            CheckReason(vector, verdict.Reason == Reason.Valid ? handover : verdict.Reason);
            if (handover != Reason.Valid)
            {
                handovers++;
            }
            else if (verdict.Reason == Reason.Valid)
            {
                Assert.Equal(
                    vector.GetProperty("results").EnumerateArray().Select(result => result.GetProperty("version").GetUInt64()),
                    verdict.Keys.Select(key => key.Version));
                valid++;
            }
        }
        Assert.True(valid >= 19, $"{valid} valid answers");
        Assert.True(handovers >= 20, $"{handovers} hand-overs refused");
    }

    [Fact]
    public void Only_a_record_that_the_log_signed_is_of_another_period()
    {
        using JsonDocument file = Load("bounds");
        int others = 0;
        foreach (JsonElement vector in Vectors(file)
            .Where(one => one.GetProperty("reason").GetString() == "valid" && one.TryGetProperty("record", out _)))
        {
            VerifierContext context = AnswerVectorFiles.Context(file, vector);
            byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
            ulong period = EpochRecord.ReadPeriod(answer);
            if (period == EpochRecord.ReadPeriod(context.KeptRecord.Span))
            {
                Assert.Null(Verifier.OtherPeriod(context, Reason.Valid, answer));
                continue;
            }
            others++;
            Assert.Equal(period, Verifier.OtherPeriod(context, Reason.RecordPeriod, answer));
            Assert.Null(Verifier.OtherPeriod(context with { KeptRecord = default }, Reason.RecordPeriod, answer));
            Assert.Null(Verifier.OtherPeriod(context, Reason.Fork, answer));
            Assert.Null(Verifier.OtherPeriod(context, Reason.MalformedTruncated, answer.AsMemory(0, 1)));
            // The forged record has the hash of another preceding record, so the checkpoint does not commit to the forged record.
            byte[] forged = [.. answer];
            forged[EpochRecord.Length - 1] ^= 1;
            Assert.Null(Verifier.OtherPeriod(context, Reason.RecordPeriod, forged));
        }
        Assert.True(others >= 10, $"{others} answers of other periods");
    }

    [Fact]
    public void What_is_no_question_about_an_ended_period_is_refused()
    {
        using JsonDocument file = Load("handover");
        JsonElement vector = Vectors(file)
            .First(one => one.TryGetProperty("ended_record", out _) && one.GetProperty("keys").GetArrayLength() == 1);
        VerifierContext context = AnswerVectorFiles.Context(file, vector);
        byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
        using var asked = new ByteStrings();
        asked.Add(AnswerVectorFiles.Hex(vector.GetProperty("keys")[0]));
        KnownKey[] known = [Known(vector, 0)];
        Assert.Equal(Reason.Valid, Verifier.Versions(context, asked, known, answer).Reason);
        Assert.Throws<ArgumentException>(() => Verifier.Lookup(context, asked, known, answer));
        Assert.Throws<ArgumentException>(() => Verifier.Periods(context, 0, answer));
        VersionsVerdict verdict = Verifier.Versions(context, asked, known, answer);
        Assert.Throws<ArgumentException>(
            () => Verifier.Handover(verdict.Head!, verdict.Keys[0] with { From = 2 }, new EndState(0, 0, 0, default), answer));
        Assert.Throws<ArgumentException>(
            () => Verifier.Handover(verdict.Head!, verdict.Keys[0], new EndState(0, 0, 1, new byte[31]), answer));
    }

    private static JsonDocument Load(string name) =>
        JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "periods", $"{name}.json")));

    private static JsonElement.ArrayEnumerator Vectors(JsonDocument file) => file.RootElement.GetProperty("vectors").EnumerateArray();

    private static void CheckReason(JsonElement vector, Reason reason)
    {
        string? kind = vector.GetProperty("kind").GetString();
        Assert.Equal((kind, vector.GetProperty("reason").GetString()), (kind, reason.Name()));
    }

    private static KnownKey Known(JsonElement vector, int i)
    {
        ulong least = vector.TryGetProperty("least_epoch", out JsonElement epochs) ? epochs[i].GetUInt64() : 0;
        if (!vector.TryGetProperty("known", out JsonElement all) || all[i].ValueKind == JsonValueKind.Null)
        {
            return new KnownKey(least, 0, 0, 0, null);
        }
        JsonElement known = all[i];
        return new KnownKey(
            least,
            known.GetProperty("period").GetUInt64(),
            known.GetProperty("version").GetUInt64(),
            known.GetProperty("page_time").ValueKind == JsonValueKind.Null ? 0 : known.GetProperty("page_time").GetUInt64(),
            known.GetProperty("absent_at").ValueKind == JsonValueKind.Null ? null : known.GetProperty("absent_at").GetUInt64(),
            known.GetProperty("page_version").GetUInt64());
    }

    private static EndState? End(JsonElement end) => end.ValueKind == JsonValueKind.Null ? null : AnswerVectorFiles.End(end);
}
