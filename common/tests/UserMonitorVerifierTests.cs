using System.Globalization;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Tests the native verifier, called from C#, on answers in which owners learn about their own users. The Python reference made
/// these answers (tests/vectors/users).</summary>
public sealed class UserMonitorVerifierTests : IDisposable
{
    private readonly JsonDocument _file = Load("users", "monitor.json");

    public void Dispose() => _file.Dispose();

    [Fact]
    public void Every_answer_of_the_reference_gets_its_reason_and_result()
    {
        int valid = 0;
        int invalid = 0;
        foreach (JsonElement vector in _file.RootElement.GetProperty("vectors").EnumerateArray())
        {
            OwnUserQuestion own = Question(vector.GetProperty("own"));
            byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
            UserMonitorVerdict verdict = UserVerifier.Monitor(AnswerVectorFiles.Context(_file, vector), own, answer);
            string? kind = vector.GetProperty("kind").GetString();
            Assert.Equal((kind, vector.GetProperty("reason").GetString()), (kind, verdict.Reason.Name()));
            if (verdict.Reason == Reason.Valid)
            {
                CheckUser(vector.GetProperty("result"), verdict, own, answer);
                valid++;
                continue;
            }
            Assert.Null(verdict.Head);
            Assert.Null(verdict.User);
            invalid++;
        }
        Assert.True(valid > 50, $"{valid} valid answers");
        Assert.True(invalid > 200, $"{invalid} invalid answers");
    }

    [Fact]
    public void Every_hand_over_of_a_user_gets_its_reason()
    {
        using JsonDocument file = Load("periods", "user_handover.json");
        var reasons = new List<string>();
        foreach (JsonElement vector in file.RootElement.GetProperty("vectors").EnumerateArray())
        {
            JsonElement own = vector.GetProperty("own");
            byte[] answer = AnswerVectorFiles.Hex(vector.GetProperty("answer"));
            UserMonitorVerdict verdict = UserVerifier.Monitor(AnswerVectorFiles.Context(file, vector), Question(own), answer);
            string reason = (verdict.Reason == Reason.Valid ? Handover(own, verdict, answer) : verdict.Reason).Name();
            Assert.Equal((vector.GetProperty("kind").GetString(), vector.GetProperty("reason").GetString()),
                (vector.GetProperty("kind").GetString(), reason));
            reasons.Add(reason);
        }
        Assert.True(reasons.Count(reason => reason == "valid") >= 8, "valid answers");
        Assert.True(reasons.Count(reason => reason.StartsWith("handover_", StringComparison.Ordinal)) >= 21, "hand-overs refused");
    }

    // Returns the result of the check of the hand-over. The check is made first for the device list, and then for one followed key after
    // another (docs/spec/periods.md section 6).
    private static Reason Handover(JsonElement own, UserMonitorVerdict verdict, byte[] answer)
    {
        if (verdict.User!.List is not { } list)
        {
            return Reason.Valid;
        }
        (StructureId Structure, string Key, VerifiedVersions Shown)[] all =
        [
            (StructureId.Devices, own.GetProperty("user").GetString()!, list),
            .. verdict.User.Devices.Select(device => (StructureId.Keys, Convert.ToHexStringLower(device.Device.Span), device.Key)),
        ];
        return all
            .SelectMany(one => own.GetProperty("ends").EnumerateArray()
                .Where(end => one.Shown.From == 1 && end.GetProperty("structure").GetInt32() == (int)one.Structure
                    && end.GetProperty("key").GetString() == one.Key)
                .Select(end => Verifier.Handover(verdict.Head!, one.Shown, AnswerVectorFiles.End(end), answer)))
            .FirstOrDefault(reason => reason != Reason.Valid);
    }

    [Fact]
    public void What_no_owner_can_keep_is_refused_before_the_answer_is_read()
    {
        JsonElement honest = _file.RootElement.GetProperty("vectors").EnumerateArray()
            .First(vector => vector.GetProperty("reason").GetString() == "valid");
        OwnUserQuestion own = Question(honest.GetProperty("own"));
        byte[] answer = AnswerVectorFiles.Hex(honest.GetProperty("answer"));
        VerifierContext context = AnswerVectorFiles.Context(_file, honest);
        var seen = new KnownKey(0, 0, 1, 1, 1);
        OwnUserQuestion[] refused =
        [
            own with { UserId = default },
            own with { UserId = new byte[256] },
            own with { Names = [default] },
            own with { Names = [new byte[256]] },
            own with { List = new byte[3] },
            own with { ListVersion = seen with { AbsentEpoch = null } },
            own with { Keys = [new KnownDevice(default, default)] },
            own with { Keys = [new KnownDevice(new byte[256], default)] },
            own with { Keys = [new KnownDevice("b"u8.ToArray(), default), new KnownDevice("a"u8.ToArray(), default)] },
            own with { Keys = [new KnownDevice("a"u8.ToArray(), default), new KnownDevice("a"u8.ToArray(), default)] },
            own with { Keys = [new KnownDevice("a"u8.ToArray(), seen with { PageVersion = 2 })] },
        ];
        Assert.Equal(Reason.Valid, UserVerifier.Monitor(context, own, answer).Reason);
        OwnUserQuestion another =
            own with
            {
                Keys = [new KnownDevice("0"u8.ToArray(), default),
                new KnownDevice("00"u8.ToArray(), seen with { AbsentEpoch = null, PageVersion = 2 })]
            };
        Assert.Equal(Reason.DeviceCount, UserVerifier.Monitor(context, another, answer).Reason);
        Assert.All(refused, one => Assert.Equal(
            NativeStatus.Argument, Assert.Throws<OptiksNativeException>(() => UserVerifier.Monitor(context, one, answer)).Status));
    }

    private static JsonDocument Load(string area, string name) =>
        JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", area, name)));

    private static OwnUserQuestion Question(JsonElement own)
    {
        JsonElement list = own.GetProperty("devices");
        bool hasList = list.ValueKind != JsonValueKind.Null;
        return new OwnUserQuestion(AnswerVectorFiles.Hex(own.GetProperty("user")))
        {
            Names = [.. own.GetProperty("names").EnumerateArray().Select(name => (ReadOnlyMemory<byte>)AnswerVectorFiles.Hex(name))],
            LeastEpoch = own.GetProperty("least_epoch").GetUInt64(),
            HasLeft = own.GetProperty("has_left").GetBoolean(),
            ListVersion = hasList ? Known(list) : default,
            List = hasList ? AnswerVectorFiles.Hex(list.GetProperty("list")) : default,
            Keys = [.. own.GetProperty("keys").EnumerateArray()
                .Select(key => new KnownDevice(AnswerVectorFiles.Hex(key.GetProperty("device")), Known(key.GetProperty("known"))))],
        };
    }

    private static KnownKey Known(JsonElement known) => known.ValueKind == JsonValueKind.Null ? default : new KnownKey(
        0,
        known.GetProperty("period").GetUInt64(),
        known.GetProperty("version").GetUInt64(),
        Optional(known.GetProperty("page_time")) ?? 0,
        Optional(known.GetProperty("absent_at")),
        known.GetProperty("page_version").GetUInt64());

    private static ulong? Optional(JsonElement number) => number.ValueKind == JsonValueKind.Null ? null : number.GetUInt64();

    private static void CheckUser(JsonElement expected, UserMonitorVerdict verdict, OwnUserQuestion own, byte[] answer)
    {
        VerifiedOwnUser actual = verdict.User!;
        Assert.Equal(expected.GetProperty("epoch").GetUInt64(), verdict.Head!.Epoch);
        Assert.Equal(expected.GetProperty("has_left").GetBoolean(), actual.HasLeft);
        Assert.Equal(expected.GetProperty("complete").GetBoolean(), actual.Complete);
        JsonElement[] keys = [.. expected.GetProperty("keys").EnumerateArray()];
        Assert.Equal(keys.Select(key => key.GetProperty("device").GetString()),
            actual.Devices.Select(device => Convert.ToHexStringLower(device.Device.Span)));
        if (actual.List is not { } list)
        {
            Assert.True(actual.KeptList.IsEmpty);
            return;
        }
        CheckVersions(expected.GetProperty("devices"), list, answer);
        for (int i = 0; i < keys.Length; i++)
        {
            CheckVersions(keys[i], actual.Devices[i].Key, answer);
        }
        byte[]? opened = list.Members.Where(member => member.Value is not null).Select(member => answer[member.Value!.Value])
            .LastOrDefault();
        byte[] before = own.ListVersion.Period == verdict.Head.Period ? own.List.ToArray() : [];
        Assert.Equal(opened ?? before, actual.KeptList.ToArray());
    }

    private static void CheckVersions(JsonElement expected, VerifiedVersions actual, byte[] answer)
    {
        Assert.Equal(expected.GetProperty("version").GetUInt64(), actual.Version);
        Assert.Equal(expected.GetProperty("complete").GetBoolean(), actual.Complete);
        Assert.Equal(
            expected.GetProperty("values").EnumerateObject()
                .Select(value => (ulong.Parse(value.Name, CultureInfo.InvariantCulture), value.Value.GetString())),
            actual.Members.Select(member => (member.Version, member.Value is { } range ? Convert.ToHexStringLower(answer[range]) : null)));
    }
}
