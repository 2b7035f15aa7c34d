using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Cli.Tests;

/// <summary>Tests that the command line can print and judge saved answers about users without sending a request.</summary>
public sealed class SavedUserAnswerTests
{
    private static readonly byte[] s_user = "id of alice"u8.ToArray();
    private static readonly string s_user64 = Base64UrlText.Encode(s_user);

    [Fact]
    public async Task A_lookup_is_valid_for_the_names_that_were_asked_for()
    {
        await using Fixture fixture = await StartAsync();
        byte[] answer = await LookupAsync(fixture, new UserQuery("alice"u8.ToArray()), new UserQuery("nobody"u8.ToArray()));

        CommandRun run = await RunAsync(fixture, "verify", answer, "alice", "nobody", "--json");
        CommandRun words = await RunAsync(fixture, "verify", answer, "alice", "nobody");

        Assert.Equal(0, run.Code);
        Assert.Equal(["present", "absent"], run.Lines.Select(line => line.GetProperty("verdict").GetString()));
        Assert.Equal(("user lookup answer", s_user64, 2),
            (Text(run.Lines[0], "kind"), Text(run.Lines[0], "user_b64"), run.Lines[0].GetProperty("list_version").GetInt32()));
        Assert.Equal(["laptop", "phone"], run.Lines[0].GetProperty("devices").EnumerateArray().Select(device => Text(device, "device")));
        Assert.Equal("2", Text(run.Lines[0].GetProperty("devices")[1], "value"));
        Assert.Contains("alice: present, version 2, epoch 2, valid", words.Out, StringComparison.Ordinal);
        Assert.Contains("  device   phone: version 2, 2", words.Out, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync(fixture, "verify", answer, "nobody", "alice")).Code);
        Assert.Equal(1, (await RunAsync(fixture, "verify", answer, "alice", "bob")).Code);
        Assert.Equal(2, (await RunAsync(fixture, "verify", answer, "alice")).Code);
        byte[] one = await LookupAsync(fixture, new UserQuery("alice"u8.ToArray()) { Device = "phone"u8.ToArray() });
        Assert.Equal(
            (0, 1),
            ((await RunAsync(fixture, "verify", one, "alice", "--device", "phone")).Code,
                (await RunAsync(fixture, "verify", one, "alice")).Code));
        byte[] known = await LookupAsync(fixture, new UserQuery("alice"u8.ToArray()) { KnowsUser = true });
        Assert.Equal(2, (await RunAsync(fixture, "verify", known, "alice")).Code);
        Assert.Empty(fixture.Server.Requests);
    }

    /// <summary>
    /// An answer with several epochs shows the state at one of these epochs. The output has that epoch and its time, and not the epoch and
    /// time of the head.
    /// </summary>
    [Fact]
    public async Task A_state_is_told_with_the_epoch_and_time_that_it_is_of()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        using JsonDocument document = Vectors.Read("users/lookup.json");
        JsonElement vector = document.RootElement.GetProperty("vectors").EnumerateArray()
            .First(row => Text(row, "kind") == "of_three_parts" && Text(row, "reason") == "valid");
        ulong epoch = vector.GetProperty("results")[0].GetProperty("epoch").GetUInt64();
        byte[] answer = Vectors.Hex(vector, "answer");
        Assert.True(epoch < EpochRecord.ReadEpoch(answer));
        string name = Encoding.UTF8.GetString(Vectors.Hex(vector.GetProperty("users")[0], "username"));
        string trust = fixture.Folder.In("trust.json");
        string saved = fixture.Folder.In("saved");
        File.WriteAllBytes(trust,
            Vectors.Anchor(document.RootElement.GetProperty("anchors")[vector.GetProperty("anchor").GetInt32()]).ToJson());
        File.WriteAllBytes(saved, answer);

        ulong headTime = EpochRecord.Decode(answer.AsSpan(0, EpochRecord.Length)).TimeMs;
        fixture.Server.Mutate = (path, honest) => path == "/v1/users/lookup" ? answer : honest;
        var clock = new SetClock { UtcNow = DateTimeOffset.FromUnixTimeMilliseconds((long)headTime) };
        foreach (string[] command in (string[][])[["verify", saved, name], ["user", "lookup", name]])
        {
            CommandRun run = await CommandRun.RunAsync(fixture, clock, [.. command, "--trust", trust, "--json"]);
            Assert.Equal((0, epoch), (run.Code, run.Json.GetProperty("epoch").GetUInt64()));
            // The epochs of the vectors are one second apart.
            Assert.Equal(headTime - (1000 * (EpochRecord.ReadEpoch(answer) - epoch)), run.Json.GetProperty("time_ms").GetUInt64());
        }
        Assert.Contains($"epoch {epoch}, valid", (await CommandRun.RunAsync(fixture, ["verify", saved, name, "--trust", trust])).Out,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Monitoring_is_valid_for_the_user_and_its_names()
    {
        await using Fixture fixture = await StartAsync();
        byte[] whole = await MonitorAsync(fixture, new UserMonitorQuery(s_user) { Usernames = ["alice"u8.ToArray()] });
        byte[] page = await MonitorAsync(fixture, new UserMonitorQuery(s_user), 1);
        byte[] rest = await MonitorAsync(fixture, new UserMonitorQuery(s_user) { From = 2 });

        CommandRun run = await RunAsync(fixture, "verify", whole, "alice", "--user-b64", s_user64, "--json");
        CommandRun words = await RunAsync(fixture, "verify", whole, "alice", "--user-b64", s_user64);

        Assert.Equal((0, "valid", "user monitor answer"), (run.Code, Text(run.Json, "verdict"), Text(run.Json, "kind")));
        Assert.Equal([1, 2], run.Json.GetProperty("lists").EnumerateArray().Select(list => list.GetProperty("devices").GetArrayLength()));
        Assert.Equal(["laptop", "phone"], run.Json.GetProperty("devices").EnumerateArray().Select(device => Text(device, "device")));
        Assert.Contains("  list     version 2    epoch 2        laptop, phone", words.Out, StringComparison.Ordinal);
        Assert.Equal(1, (await RunAsync(fixture, "verify", whole, "bob", "--user-b64", s_user64)).Code);
        Assert.Equal(1, (await RunAsync(fixture, "verify", whole, "alice", "--user-b64", "aWQ")).Code);
        Assert.Equal(2, (await RunAsync(fixture, "verify", whole, "alice")).Code);
        Assert.Equal(2, (await RunAsync(fixture, "verify", whole, "--user-b64", s_user64)).Code);
        CommandRun ofPage = await RunAsync(fixture, "verify", page, "--user-b64", s_user64);
        Assert.Equal(0, ofPage.Code);
        Assert.Contains("it is a page, which is no result", ofPage.Out, StringComparison.Ordinal);
        Assert.Equal(2, (await RunAsync(fixture, "verify", rest, "--user-b64", s_user64)).Code);
    }

    [Fact]
    public async Task Every_changed_octet_is_noticed()
    {
        await using Fixture fixture = await StartAsync();
        byte[] lookup = await LookupAsync(fixture, new UserQuery("alice"u8.ToArray()));
        byte[] monitor = await MonitorAsync(fixture, new UserMonitorQuery(s_user));
        foreach ((byte[] answer, string[] arguments) in new[] { (lookup, new[] { "alice" }), (monitor, ["--user-b64", s_user64]) })
        {
            Assert.Equal(0, (await RunAsync(fixture, "verify", answer, arguments)).Code);
            for (int i = 0; i < answer.Length; i += 97)
            {
                byte[] changed = [.. answer];
                changed[i] ^= 1;
                CommandRun run = await RunAsync(fixture, "verify", changed, arguments);
                // Exit code 2 means that the octets do not decode as an answer, or that they are an answer to another question.
                Assert.True(run.Code is 1 or 2, $"octet {i}: {run.Code} {run.Out}");
                Assert.True((await RunAsync(fixture, "inspect", changed)).Code is 0 or 2, $"octet {i}");
            }
        }
    }

    [Fact]
    public async Task They_are_printed_and_the_json_form_reads_like_the_binary_one()
    {
        await using Fixture fixture = await StartAsync();
        byte[] lookup = await LookupAsync(fixture, new UserQuery("alice"u8.ToArray()), new UserQuery("nobody"u8.ToArray()));
        byte[] monitor = await MonitorAsync(fixture, new UserMonitorQuery(s_user) { Usernames = ["alice"u8.ToArray()] });
        CommandRun users = await AssertSameAsync(fixture, lookup, AnswerJson.WriteUserLookupAnswer);
        CommandRun own = await AssertSameAsync(fixture, monitor, AnswerJson.WriteUserMonitorAnswer);

        Assert.StartsWith($"user lookup answer, {lookup.Length} octets, 2 users", users.Out, StringComparison.Ordinal);
        Assert.Contains("  user: current", users.Out, StringComparison.Ordinal);
        Assert.Contains("  user: does not exist", users.Out, StringComparison.Ordinal);
        Assert.Contains("  device phone, of record 0", users.Out, StringComparison.Ordinal);
        Assert.StartsWith($"user monitor answer, {monitor.Length} octets, 2 devices", own.Out, StringComparison.Ordinal);
        Assert.Contains("  device laptop", own.Out, StringComparison.Ordinal);
        // With the name, the command can compute the labels of the name, the user and the devices, so no line says only "sibling".
        Assert.Equal(0, own.Out.Split('\n').Count(line => line.Contains("sibling ", StringComparison.Ordinal)));
        Assert.Equal("not_verified", Text((await RunAsync(fixture, "inspect", lookup, "--json")).Json, "reason"));
        Assert.Equal(2, (await RunAsync(fixture, "inspect", monitor, "--json")).Json.GetProperty("user_monitor_answer").GetProperty("keys")
            .GetArrayLength());
    }

    private static async Task<CommandRun> AssertSameAsync(
        Fixture fixture, byte[] answer, Action<Utf8JsonWriter, ReadOnlyMemory<byte>> write)
    {
        using var json = new MemoryStream();
        using (var writer = new Utf8JsonWriter(json))
        {
            write(writer, answer);
        }
        CommandRun binary = await RunAsync(fixture, "inspect", answer, "--key", "alice");
        CommandRun rendered = await RunAsync(fixture, "inspect", json.ToArray(), "--key", "alice");
        Assert.Equal((0, 0), (binary.Code, rendered.Code));
        Assert.Equal(binary.Out.Split('\n')[1..], rendered.Out.Split('\n')[1..]);
        return binary;
    }

    private static async Task<byte[]> LookupAsync(Fixture fixture, params UserQuery[] queries) =>
        [.. (await fixture.Log.HeadAsync(2, 0))!, .. fixture.Log.Users(2, UserQueryList.Encode(queries), out _)];

    private static async Task<byte[]> MonitorAsync(Fixture fixture, UserMonitorQuery query, int members = 256) =>
        [.. (await fixture.Log.HeadAsync(2, 0))!,
            .. fixture.Log.UserMonitor(2, query.Encode(), new UserMonitorPage(members, 2048, 1024, 1 << 22), out _)];

    private static async Task<Fixture> StartAsync()
    {
        Fixture fixture = await Fixture.StartAsync();
        fixture.PublishItems(FixtureItem.Name("alice", s_user), FixtureItem.List(s_user, "phone"), FixtureItem.Device("phone", "1"));
        fixture.PublishItems(FixtureItem.List(s_user, "laptop", "phone"), FixtureItem.Device("laptop", "1"),
            FixtureItem.Device("phone", "2"));
        return fixture;
    }

    private static Task<CommandRun> RunAsync(Fixture fixture, string command, byte[] octets, params string[] arguments)
    {
        string trust = fixture.Folder.In("trust.json");
        File.WriteAllBytes(trust, FixtureLog.Anchor.ToJson());
        File.WriteAllBytes(fixture.Folder.In("saved"), octets);
        return CommandRun.RunAsync(fixture, [command, fixture.Folder.In("saved"), .. arguments, "--trust", trust]);
    }

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
