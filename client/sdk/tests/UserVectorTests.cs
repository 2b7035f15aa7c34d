using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Gives the client the Python reference's answers about users, honest and changed, together with the state that the vector gives, and
/// expects the vector's verdict.
/// </summary>
public sealed class UserVectorTests
{
    private static readonly byte[] s_remembered = "remembered"u8.ToArray();

    [Theory]
    [InlineData("users/lookup.json", 100, 50)]
    [InlineData("users/generations.json", 100, 50)]
    public async Task Answers_get_the_verdict_of_the_reference(string file, int refusedAtLeast, int validAtLeast)
    {
        using var folder = new TemporaryFolder();
        using JsonDocument document = Vectors.Read(file);
        JsonElement anchors = document.RootElement.GetProperty("anchors");
        var wrong = new List<string>();
        int valid = 0;
        int refused = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            // Skip vectors that no client can produce: a client never keeps a record without a checkpoint, and its question names only keys
            // of devices on the list that it knows.
            if (vector.TryGetProperty("record", out _) || vector.GetProperty("users").EnumerateArray().Any(BringsOtherKeys))
            {
                continue;
            }
            // The verifier checks each user separately. A client also compares the users of one answer with each other, in the order of the
            // answer (docs/spec/users.md section 4).
            bool isFalling = vector.GetProperty("kind").GetString() == "one_user_by_two_names_at_falling_epochs";
            string expected = isFalling ? "stale" : vector.GetProperty("reason").GetString()!;
            (string reason, string[] users) =
                await RunAsync(Vectors.Anchor(anchors[vector.GetProperty("anchor").GetInt32()]), vector, folder);
            if (reason != expected || (expected == "valid" && !users.SequenceEqual(Expected(vector))))
            {
                wrong.Add(
                    $"{vector.GetProperty("kind").GetString()}: {reason} instead of {expected}, {string.Join("; ", users)} instead of {(expected == "valid" ? string.Join("; ", Expected(vector)) : "")}");
            }
            _ = expected == "valid" ? valid++ : refused++;
        }
        Assert.Empty(wrong);
        Assert.True(refused >= refusedAtLeast && valid >= validAtLeast, $"{valid} valid and {refused} refused vectors were tried");
    }

    [Fact]
    public async Task What_was_learnt_is_brought_to_the_next_question_and_a_refused_answer_changes_nothing()
    {
        using var folder = new TemporaryFolder();
        using JsonDocument document = Vectors.Read("users/lookup.json");
        // Take an answer about one current user with all of the user's devices. The client's state has nothing of this user.
        JsonElement vector = document.RootElement.GetProperty("vectors").EnumerateArray().First(row =>
            row.GetProperty("kind").GetString() == "honest" && row.GetProperty("reason").GetString() == "valid"
                && row.GetProperty("users").GetArrayLength() == 1
            && row.GetProperty("users")[0] is { } user && user.GetProperty("kept").ValueKind == JsonValueKind.Null
            && user.GetProperty("device").ValueKind == JsonValueKind.Null
            && row.GetProperty("results")[0].GetProperty("keys").GetArrayLength() > 1);
        TrustAnchor anchor = Vectors.Anchor(document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()]);
        var store = new MemoryClientStateStore(anchor, folder.Path);
        byte[] answer = Vectors.Hex(vector, "answer");
        using var handler = new Vectors.Answering(answer, MediaTypes.UserLookup);
        using var http = new HttpClient(handler);
        byte[] username = Vectors.Hex(vector.GetProperty("users")[0], "username");
        OptiksClient client = Vectors.Client(anchor, vector, store, http);

        UserLookupResult first = await client.LookupUserAsync(username, cancellationToken: TestContext.Current.CancellationToken);
        byte[] asked = handler.LastBody;
        ClientState kept = store.Current;
        UserLookupResult second = await client.LookupUserAsync(username, cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(Verdict.Present, first.Verdict);
        // The first question names only the username. The second question also names the known user and the known versions. An answer to
        // the second question leaves out known versions, so the client refuses the full answer.
        Assert.Equal([1 + username.Length + 1 + 1 + 8 + 8 + 3], [asked.Length - 3]);
        Assert.False(second.IsValid);
        Assert.Same(kept, store.Current);
        Assert.Equal(1, handler.LastBody[3 + 1 + username.Length + 1]);
        Assert.Equal(Base64UrlText.Encode(first.User!.Value.Span), kept.Names.Single().Value.User);
        Assert.Equal(first.Devices.Select(device => Base64UrlText.Encode(device.Device.Span)).Order(), kept.SeenKeys.Keys.Order());
        Assert.All(first.Devices,
            device => Assert.Contains(
                Convert.ToHexString(device.Device.Span), Convert.ToHexString(handler.LastBody), StringComparison.Ordinal));
        Cursor list = kept.SeenLists.Single().Value.At;
        Assert.Equal(DeviceList.Encode([.. first.Devices.Select(device => device.Device)]), store.FindValue(list.ValueSha256!));
    }

    [Theory]
    [InlineData("none", "valid")]
    [InlineData("left", "user_returned")]
    [InlineData("later list", "version_regressed")]
    [InlineData("other list", "version_regressed")]
    [InlineData("later epoch", "stale")]
    [InlineData("later key", "version_regressed")]
    [InlineData("later key's epoch", "stale")]
    public async Task What_is_kept_by_another_name_is_compared_with_an_answer_that_it_was_not_brought_to(string what, string expected)
    {
        using var folder = new TemporaryFolder();
        using JsonDocument document = Vectors.Read("users/lookup.json");
        JsonElement vector = document.RootElement.GetProperty("vectors").EnumerateArray().First(row =>
            row.GetProperty("kind").GetString() == "honest" && row.GetProperty("reason").GetString() == "valid"
                && row.GetProperty("users").GetArrayLength() == 1
            && row.GetProperty("users")[0].GetProperty("kept").ValueKind == JsonValueKind.Null
            && row.GetProperty("results")[0].GetProperty("keys").GetArrayLength() > 1);
        TrustAnchor anchor = Vectors.Anchor(document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()]);
        using var http = new HttpClient(new Vectors.Answering(Vectors.Hex(vector, "answer"), MediaTypes.UserLookup));
        byte[] username = Vectors.Hex(vector.GetProperty("users")[0], "username");
        var first = new MemoryClientStateStore(anchor, folder.Path);
        Assert.True(
            (await Vectors.Client(anchor, vector, first, http)
                .LookupUserAsync(username, cancellationToken: TestContext.Current.CancellationToken)).IsValid);
        ClientState learnt = first.Current;
        (string user, Seen list) = learnt.SeenLists.Single();
        (string device, Seen key) = learnt.SeenKeys.First(pair => pair.Value.At.Version > 0);

        // Give the client the state that a lookup of the same user by another name would leave.
        var store = new MemoryClientStateStore(anchor, folder.Path);
        store.TryUpdate(
            current => what switch
            {
                "left" => current.SeeLeft(user, list.LeastEpoch),
                "later list" => current.SeeList(user, list with { At = list.At with { Version = list.At.Version + 1 } }),
                "other list" => current.SeeList(user, list with { At = list.At with { ValueSha256 = ValueHash.Of(s_remembered) } }),
                "later epoch" => current.SeeList(user, list with { LeastEpoch = list.LeastEpoch + 1 }),
                "later key" => current.SeeKey(device, key with { At = key.At with { Version = key.At.Version + 1 } }),
                "later key's epoch" => current.SeeKey(device, key with { LeastEpoch = key.LeastEpoch + 1 }),
                _ => current.SeeList(user, list).SeeKey(device, key),
            },
            []);
        ClientState before = store.Current;

        UserLookupResult result = await Vectors.Client(anchor, vector, store, http)
            .LookupUserAsync(username, cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(expected, result.Reason.Name());
        Assert.Equal(expected == "valid", !ReferenceEquals(before, store.Current));
    }

    [Fact]
    public async Task What_an_answer_of_several_epochs_shows_is_proven_from_the_earliest_on()
    {
        using var folder = new TemporaryFolder();
        using JsonDocument document = Vectors.Read("users/lookup.json");
        int tried = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray().Where(row =>
            row.GetProperty("reason").GetString() == "valid" && !row.TryGetProperty("record", out _)
                && row.GetProperty("users").EnumerateArray().All(user => user.GetProperty("kept").ValueKind == JsonValueKind.Null)))
        {
            byte[] octets = Vectors.Hex(vector, "answer");
            var answer = UserLookupAnswer.Decode(octets);
            ulong earliest = answer.Parts.Select(part => part.Record).Append(answer.Head.Record)
                .Min(record => EpochRecord.ReadEpoch(record.Span));
            if (answer.Parts.Count == 0 || earliest == EpochRecord.ReadEpoch(answer.Head.Record.Span))
            {
                continue;
            }
            TrustAnchor anchor = Vectors.Anchor(document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()]);
            var store = new MemoryClientStateStore(anchor, folder.Path);
            store.TryUpdate(state => state with { Head = Vectors.Head(vector) }, []);
            using var http = new HttpClient(new Vectors.Answering(octets, MediaTypes.UserLookup));
            await Vectors.Client(anchor, vector, store, http).LookupUsersAsync(
                [.. vector.GetProperty("users").EnumerateArray().Select(user => (Memory(user, "username")!.Value, Memory(user, "device")))],
                TestContext.Current.CancellationToken);
            Assert.All(store.Current.Names.Values.Where(name => name.User is not null), name => Assert.Equal(earliest, name.ProvenEpoch));
            Assert.All(store.Current.Chains.Values, chain => Assert.Equal(earliest, chain.Seen!.At.ProvenEpoch));
            tried += store.Current.Names.Count;
        }
        Assert.True(tried > 0);
    }

    private static async Task<(string Reason, string[] Users)> RunAsync(TrustAnchor anchor, JsonElement vector, TemporaryFolder folder)
    {
        var store = new MemoryClientStateStore(anchor, folder.Path);
        var values = new List<ReadOnlyMemory<byte>> { s_remembered };
        store.TryUpdate(
            state => vector.GetProperty("users").EnumerateArray()
                .Aggregate(state with { Head = Vectors.Head(vector) }, (before, user) => Keep(before, user, values)), values);
        using var http = new HttpClient(new Vectors.Answering(Vectors.Hex(vector, "answer"), MediaTypes.UserLookup));
        IReadOnlyList<UserLookupResult> results = await Vectors.Client(anchor, vector, store, http).LookupUsersAsync(
            [.. vector.GetProperty("users").EnumerateArray().Select(user => (Memory(user, "username")!.Value, Memory(user, "device")))],
            TestContext.Current.CancellationToken);
        byte[] answer = Vectors.Hex(vector, "answer");
        Assert.All(results.Where(result => result.IsValid),
            result => Assert.Equal(TimeAt(answer, result.Epoch), result.Time!.Value.ToUnixTimeMilliseconds()));
        return (results[0].Reason.Name(), [.. results.Select(Describe)]);
    }

    // Returns the time of an epoch, from the record of the head or of a part.
    private static long TimeAt(byte[] answer, ulong epoch)
    {
        UserLookupAnswer decoded = UserLookupAnswer.Decode(answer);
        return (long)decoded.Parts.Select(part => part.Record).Prepend(decoded.Head.Record)
            .Select(record => EpochRecord.Decode(record.Span)).First(record => record.Epoch == epoch).TimeMs;
    }

    private static bool BringsOtherKeys(JsonElement user) =>
        user.GetProperty("kept") is { ValueKind: JsonValueKind.Object } kept
        && kept.GetProperty("devices") is { ValueKind: JsonValueKind.Null }
        && kept.GetProperty("keys").EnumerateObject().Any();

    private static ClientState Keep(ClientState state, JsonElement user, List<ReadOnlyMemory<byte>> values)
    {
        JsonElement kept = user.GetProperty("kept");
        if (kept.ValueKind == JsonValueKind.Null)
        {
            return state;
        }
        ulong least = kept.GetProperty("least_epoch").GetUInt64();
        string? id = Memory(kept, "user") is { } octets ? Base64UrlText.Encode(octets.Span) : null;
        ClientState next = state;
        if (id is not null && (kept.GetProperty("has_left").GetBoolean() || kept.GetProperty("devices").ValueKind != JsonValueKind.Null))
        {
            JsonElement devices = kept.GetProperty("devices");
            byte[]? list = devices.ValueKind == JsonValueKind.Null ? null : Vectors.Hex(devices, "list");
            if (list is not null)
            {
                values.Add(list);
            }
            next = list is null ? next : next.SeeList(id, Key(devices, least, list));
            next = kept.GetProperty("has_left").GetBoolean() ? next.SeeLeft(id, least) : next;
        }
        next = kept.GetProperty("keys").EnumerateObject().Aggregate(next, (before, device) =>
            before.SeeKey(Base64UrlText.Encode(Convert.FromHexString(device.Name)), Key(device.Value, least, s_remembered)));
        return next with
        {
            Names = state.Names.SetItem(
                Base64UrlText.Encode(Memory(user, "username")!.Value.Span),
                new NameState
                {
                    LeastEpoch = least,
                    User = id,
                    Generation = kept.TryGetProperty("generation", out JsonElement generation) ? generation.GetUInt32() : null,
                }),
        };
    }

    private static Seen Key(JsonElement known, ulong least, byte[] value) => new()
    {
        LeastEpoch = least,
        At = new Cursor
        {
            Period = known.GetProperty("period").GetUInt64(),
            Version = known.GetProperty("version").GetUInt64(),
            AbsentEpoch = Vectors.Number(known, "absent_at"),
            ValueSha256 = known.GetProperty("version").GetUInt64() == 0 ? null : ValueHash.Of(value),
        },
    };

    private static string Describe(UserLookupResult result) =>
        $"{(result.User is not { } user ? "none" : $"{(result.HasLeft ? "left" : "current")} {Convert.ToHexStringLower(user.Span)}")} after {result.EarlierUsers.Count} at {result.Epoch}, list {result.ListVersion}: "
        + string.Join(", ", result.Devices.Select(device =>
            $"{Convert.ToHexStringLower(device.Device.Span)} {device.Version} {(device.Value is { } value ? device.Unchanged ? "unchanged" : Convert.ToHexStringLower(value.Span) : "no value")}"));

    private static IEnumerable<string> Expected(JsonElement vector)
    {
        foreach (JsonElement result in vector.GetProperty("results").EnumerateArray())
        {
            string kind = result.GetProperty("kind").GetString()!;
            JsonElement devices = result.GetProperty("devices");
            yield return $"{(kind == "none" ? kind : $"{kind} {result.GetProperty("user").GetString()}")} after {(result.TryGetProperty("earlier", out JsonElement earlier) ? earlier.GetArrayLength() : 0)} at {result.GetProperty("epoch").GetUInt64()}, "
                + $"list {(devices.ValueKind == JsonValueKind.Null ? 0 : devices.GetProperty("version").GetUInt64())}: "
                + string.Join(", ", result.GetProperty("keys").EnumerateArray().Select(key =>
                {
                    ulong version = key.GetProperty("version").GetUInt64();
                    return $"{key.GetProperty("device").GetString()} {version} {(version == 0 ? "no value" : key.GetProperty("value").GetString() ?? "unchanged")}";
                }));
        }
    }

    private static ReadOnlyMemory<byte>? Memory(JsonElement element, string name) =>
        element.GetProperty(name).GetString() is { } hex ? Convert.FromHexString(hex) : default(ReadOnlyMemory<byte>?);
}
