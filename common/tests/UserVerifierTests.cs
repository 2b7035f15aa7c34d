using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Tests the verification of answers about users in the native verifier, which C# calls, with answers of the Python reference
/// (tests/vectors/users).</summary>
public sealed class UserVerifierTests : IDisposable
{
    private readonly JsonDocument _file = Read("lookup.json");

    public void Dispose() => _file.Dispose();

    [Theory]
    [InlineData("lookup.json", 300)]
    [InlineData("generations.json", 100)]
    public void Every_answer_of_the_reference_gets_its_reason_and_results(string name, int atLeast)
    {
        using JsonDocument file = Read(name);
        int valid = 0;
        int invalid = 0;
        foreach (JsonElement vector in file.RootElement.GetProperty("vectors").EnumerateArray())
        {
            UserQuestion[] asked = [.. vector.GetProperty("users").EnumerateArray().Select(Question)];
            byte[] answer = Hex(vector.GetProperty("answer"));
            UsersVerdict verdict = UserVerifier.Lookup(AnswerVectorFiles.Context(file, vector), asked, answer);
            Assert.Equal((vector.GetProperty("kind").GetString(), vector.GetProperty("reason").GetString()),
                (vector.GetProperty("kind").GetString(), verdict.Reason.Name()));
            if (verdict.Reason != Reason.Valid)
            {
                Assert.Null(verdict.Head);
                Assert.Empty(verdict.Users);
                invalid++;
                continue;
            }
            JsonElement[] expected = [.. vector.GetProperty("results").EnumerateArray()];
            Assert.Equal(expected.Length, verdict.Users.Count);
            for (int i = 0; i < expected.Length; i++)
            {
                CheckUser(expected[i], verdict.Users[i], asked[i], answer);
                CheckEarlier(expected[i], verdict.Users[i], UserLookupAnswer.Decode(answer).Users[i]);
            }
            ulong largest = verdict.Users.Max(user => user.LargestEpoch);
            Assert.True(EpochRecord.Decode(answer[verdict.NewestRecord]).Epoch >= largest);
            Assert.Equal(verdict.Head!.Epoch, EpochRecord.Decode(answer[verdict.Head.Record]).Epoch);
            valid++;
        }
        Assert.True(valid > 20, $"{valid} valid answers");
        Assert.True(invalid > atLeast, $"{invalid} invalid answers");
    }

    [Fact]
    public void The_user_that_failed_is_named()
    {
        JsonElement honest = Honest(users: 2);
        UserQuestion[] asked = [.. honest.GetProperty("users").EnumerateArray().Select(Question)];
        byte[] answer = Hex(honest.GetProperty("answer"));
        Assert.Null(UserVerifier.Lookup(Context(honest), asked, answer).FailedUser);
        asked[^1] = asked[^1] with { UserId = "somebody else"u8.ToArray() };
        UsersVerdict verdict = UserVerifier.Lookup(Context(honest), asked, answer);
        Assert.Equal((Reason.UserChanged, asked.Length - 1), (verdict.Reason, verdict.FailedUser));
    }

    [Fact]
    public void What_no_verifier_can_keep_is_refused_before_the_answer_is_read()
    {
        JsonElement honest = Honest(users: 1);
        UserQuestion asked = Question(honest.GetProperty("users")[0]);
        byte[] answer = Hex(honest.GetProperty("answer"));
        var seen = new KnownKey(0, 0, 1, 1, 1);
        UserQuestion[] refused =
        [
            asked with { Username = default },
            asked with { Username = new byte[256] },
            asked with { Device = new byte[256] },
            asked with { UserId = new byte[256] },
            asked with { Generation = 1 },
            asked with { ListVersion = seen },
            asked with { List = new byte[3] },
            asked with { ListVersion = seen with { AbsentEpoch = null }, List = new byte[3] },
            asked with { Keys = [new KnownDevice(default, seen)] },
            asked with { Keys = [new KnownDevice(new byte[256], seen)] },
            asked with { Keys = [new KnownDevice("b"u8.ToArray(), seen), new KnownDevice("a"u8.ToArray(), seen)] },
            asked with { Keys = [new KnownDevice("a"u8.ToArray(), seen), new KnownDevice("a"u8.ToArray(), seen)] },
            asked with { Keys = [new KnownDevice("a"u8.ToArray(), seen with { AbsentEpoch = null, PageVersion = 2 })] },
        ];
        Assert.Equal(Reason.Valid, UserVerifier.Lookup(Context(honest), [asked], answer).Reason);
        UserQuestion sorted = asked with { Keys = [new KnownDevice("0"u8.ToArray(), seen), new KnownDevice("00"u8.ToArray(), seen)] };
        Assert.Equal(Reason.Valid, UserVerifier.Lookup(Context(honest), [sorted], answer).Reason);
        Assert.All(refused, one => Assert.Equal(
            NativeStatus.Argument, Assert.Throws<OptiksNativeException>(() => UserVerifier.Lookup(Context(honest), [one], answer)).Status));
    }

    // Returns the first valid answer in the vectors that is about this number of users and for a verifier without stored state.
    private JsonElement Honest(int users) => _file.RootElement.GetProperty("vectors").EnumerateArray().First(vector =>
        vector.GetProperty("reason").GetString() == "valid" && vector.GetProperty("users").GetArrayLength() == users
        && vector.GetProperty("results").EnumerateArray().All(result => result.GetProperty("kind").GetString() == "current")
        && vector.GetProperty("users").EnumerateArray().All(user => user.GetProperty("kept").ValueKind == JsonValueKind.Null));

    private VerifierContext Context(JsonElement vector) => AnswerVectorFiles.Context(_file, vector);

    private static UserQuestion Question(JsonElement user)
    {
        var question = new UserQuestion(Hex(user.GetProperty("username"))) { Device = HexOrNone(user.GetProperty("device")) };
        JsonElement kept = user.GetProperty("kept");
        if (kept.ValueKind == JsonValueKind.Null)
        {
            return question;
        }
        JsonElement list = kept.GetProperty("devices");
        bool hasList = list.ValueKind != JsonValueKind.Null;
        return question with
        {
            LeastEpoch = kept.GetProperty("least_epoch").GetUInt64(),
            UserId = HexOrNone(kept.GetProperty("user")),
            HasLeft = kept.GetProperty("has_left").GetBoolean(),
            Generation = kept.TryGetProperty("generation", out JsonElement generation) ? generation.GetUInt32() : 0,
            ListVersion = hasList ? Known(list) : default,
            List = hasList ? Hex(list.GetProperty("list")) : default,
            Keys =
            [
                .. kept.GetProperty("keys").EnumerateObject().OrderBy(key => key.Name, StringComparer.Ordinal)
                    .Select(key => new KnownDevice(Convert.FromHexString(key.Name), Known(key.Value))),
            ],
        };
    }

    private static KnownKey Known(JsonElement known) =>
        new(0, known.GetProperty("period").GetUInt64(), known.GetProperty("version").GetUInt64(), 0,
            known.GetProperty("absent_at").GetUInt64());

    private static JsonDocument Read(string name) =>
        JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "users", name)));

    // Checks which earlier users of the username the verified answer shows.
    private static void CheckEarlier(JsonElement expected, VerifiedUser actual, UserLookup shown)
    {
        Assert.Equal(expected.TryGetProperty("generation", out JsonElement generation) ? generation.GetUInt32() : 0, actual.Generation);
        if (actual.Generation > 0)
        {
            Assert.Equal(
                expected.GetProperty("earlier").EnumerateArray()
                    .Select(
                        one => (one.GetProperty("user").GetString()!, one.GetProperty("since").GetUInt64(),
                            one.GetProperty("left").GetUInt64())),
                shown.Generations!.Earlier.Select(one => (Convert.ToHexStringLower(one.User.Span), one.SinceEpoch, one.LeftEpoch)));
        }
    }

    private static void CheckUser(JsonElement expected, VerifiedUser actual, UserQuestion asked, byte[] answer)
    {
        UserKind kind = Enum.Parse<UserKind>(expected.GetProperty("kind").GetString()!, ignoreCase: true);
        Assert.Equal(kind, actual.Kind);
        Assert.Equal(HexOrNone(expected.GetProperty("user")), actual.UserId.ToArray());
        Assert.Equal(expected.GetProperty("epoch").GetUInt64(), actual.Epoch);
        Assert.True(actual.LargestEpoch >= actual.Epoch);
        if (kind != UserKind.Current)
        {
            Assert.Empty(actual.Devices);
            Assert.True(actual.List.IsEmpty);
            return;
        }
        Assert.InRange(actual.ListEpoch, actual.Epoch, actual.LargestEpoch);
        CheckLookup(expected.GetProperty("devices"), actual.ListVersion, answer);
        Assert.Equal(actual.ListVersion.Value is { } sent ? answer[sent] : asked.List.ToArray(), actual.List.ToArray());
        JsonElement[] keys = [.. expected.GetProperty("keys").EnumerateArray()];
        Assert.Equal(keys.Length, actual.Devices.Count);
        for (int i = 0; i < keys.Length; i++)
        {
            Assert.Equal(Hex(keys[i].GetProperty("device")), actual.Devices[i].Device.ToArray());
            Assert.InRange(actual.Devices[i].RecordEpoch, actual.Epoch, actual.LargestEpoch);
            CheckLookup(keys[i], actual.Devices[i].Key, answer);
        }
    }

    private static void CheckLookup(JsonElement expected, VerifiedLookup actual, byte[] answer)
    {
        Assert.Equal(expected.GetProperty("version").GetUInt64(), actual.Version);
        JsonElement value = expected.GetProperty("value");
        Assert.Equal(value.ValueKind == JsonValueKind.Null ? null : Hex(value), actual.Value is { } range ? answer[range] : null);
        if (actual.Value is not null)
        {
            Assert.Equal(expected.GetProperty("time").GetUInt64(), actual.Time);
        }
    }

    private static byte[] HexOrNone(JsonElement text) => text.ValueKind == JsonValueKind.Null ? [] : Hex(text);

    private static byte[] Hex(JsonElement text) => Convert.FromHexString(text.GetString()!);
}
