using System.Text;
using System.Text.Json;
using Optiks.Client;
using Optiks.Protocol;
using static Optiks.Cli.Tests.TrustingFixture;

namespace Optiks.Cli.Tests;

/// <summary>
/// Tests the option <c>--note</c>, and how the command line prints notes and values with notes. The SDK's class <c>NoteTests</c> tests the
/// stored notes.
/// </summary>
public sealed class NoteTests
{
    [Fact]
    public async Task The_owner_sees_its_notes_and_others_the_payload_alone()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "key one", "--note", "added new laptop")).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "key two", "--note", "")).Code);
        fixture.Publish(("alice", "note 3: forged"));

        CommandRun history = await RunAsync(fixture, "history alice");
        CommandRun json = await RunAsync(fixture, "history alice --json");
        CommandRun monitor = await RunAsync(fixture, "monitor alice --json");
        CommandRun other = await RunAsync(
            fixture, $"history alice --data {fixture.Folder.In("other")} --trust {fixture.Folder.In("data/trust.json")}");
        CommandRun otherJson = await RunAsync(
            fixture, $"history alice --json --data {fixture.Folder.In("other")} --trust {fixture.Folder.In("data/trust.json")}");

        Assert.Equal(
            [
                "  version 1    epoch 1        key one", "               note 1: added new laptop",
                "  version 2    epoch 2        key two", "               note 2: \"\"",
                "  version 3    epoch 3        note 3: forged",
            ],
            history.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Skip(1).Select(line => line.TrimEnd('\r')));
        JsonElement[] versions = [.. json.Json.GetProperty("versions").EnumerateArray()];
        Assert.Equal("""{"sequence":1,"text_b64":"YWRkZWQgbmV3IGxhcHRvcA","text":"added new laptop"}""",
            versions[0].GetProperty("note").GetRawText());
        Assert.Equal(("key one", Base64UrlText.Encode("key one"u8)), (Text(versions[0], "payload"), Text(versions[0], "payload_b64")));
        Assert.True(Base64UrlText.TryDecode(Text(versions[0], "value_b64"), out byte[]? whole) && NotedValue.TryDecode(whole, out _));
        Assert.False(versions[0].TryGetProperty("value", out _));
        Assert.Equal(
            (2, ""), (versions[1].GetProperty("note").GetProperty("sequence").GetInt32(), Text(versions[1].GetProperty("note"), "text")));
        Assert.Equal((false, false, "note 3: forged"),
            (versions[2].TryGetProperty("note", out _), versions[2].TryGetProperty("payload", out _), Text(versions[2], "value")));
        Assert.Equal(1, monitor.Code);
        Assert.Equal([true, true, false],
            monitor.Json.GetProperty("new_versions").EnumerateArray().Select(version => version.TryGetProperty("note", out _)));
        Assert.Equal(3, Assert.Single(monitor.Json.GetProperty("alarms").EnumerateArray()).GetProperty("version").GetInt32());
        Assert.Contains("key one\n               with a note that is not kept here", other.Out.ReplaceLineEndings("\n"),
            StringComparison.Ordinal);
        Assert.All(otherJson.Json.GetProperty("versions").EnumerateArray(), version => Assert.False(version.TryGetProperty("note", out _)));
        Assert.DoesNotContain("laptop", other.Out + otherJson.Out, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lookup_shows_the_payload_and_what_is_kept_here_stays_private()
    {
        await using Fixture fixture = await StartAsync();
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "update", "alice", "key one", "--note", "added new laptop", "--wait")).Code);
        CommandRun words = await RunAsync(fixture, "lookup alice");
        CommandRun json = await RunAsync(fixture, "lookup alice --json");
        fixture.Publish(("alice", "key one"));
        CommandRun plain = await RunAsync(fixture, "lookup alice");

        Assert.Contains("  payload  key one", words.Out, StringComparison.Ordinal);
        Assert.Contains("  value    key one", plain.Out, StringComparison.Ordinal);
        Assert.Equal("key one", Text(json.Json, "payload"));
        Assert.False(json.Json.TryGetProperty("note", out _));
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(fixture.Folder.In("data/client/state.journal")));
        }
    }

    [Fact]
    public async Task A_device_has_its_notes_through_periods()
    {
        await using Fixture fixture = await StartAsync();
        CommandRun created = await CommandRun.RunAsync(
            fixture, "user", "create", "alice", "--device", "phone=key 1", "--note", "first", "--json");
        Assert.True(Base64UrlText.TryDecode(Text(created.Json, "user_b64"), out byte[]? user));
        fixture.PublishItems(FixtureItem.Name("alice", user), FixtureItem.List(user, "phone"), Sent(fixture, "phone"));
        CommandRun monitor = await RunAsync(fixture, "user monitor alice");
        CommandRun lookup = await RunAsync(fixture, "user lookup alice");
        fixture.Switch();
        Assert.Equal(0, (await RunAsync(fixture, "user monitor alice")).Code);
        Assert.Equal(0, (await CommandRun.RunAsync(fixture, "user", "set-device", "alice", "phone", "key 2", "--note", "second")).Code);
        fixture.PublishItems(Sent(fixture, "phone"));
        Assert.Equal(
            0, (await CommandRun.RunAsync(fixture, "user", "add-device", "alice", "tablet", "key 3", "--note", "added tablet")).Code);
        fixture.PublishItems(FixtureItem.List(user, "phone", "tablet"), Sent(fixture, "tablet"));
        CommandRun later = await RunAsync(fixture, "user monitor alice --json");
        CommandRun history = await RunAsync(fixture, "user history alice --json");

        Assert.Equal(0, monitor.Code);
        Assert.Contains("key 1\n               note 1: first", monitor.Out.ReplaceLineEndings("\n"), StringComparison.Ordinal);
        Assert.Contains("  device   phone: version 1 with a note, key 1", lookup.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("first", lookup.Out, StringComparison.Ordinal);
        Assert.Equal(0, later.Code);
        Assert.Equal([(2, "second")], Notes(later.Json.GetProperty("new_versions")[0]));
        Assert.Equal([(1, "added tablet")], Notes(later.Json.GetProperty("new_versions")[1]));
        Assert.Equal([(1, "first"), (2, "second")], Notes(history.Json.GetProperty("devices")[0]));
        Assert.Equal([1, 1], history.Json.GetProperty("devices")[0].GetProperty("versions").EnumerateArray()
            .Select(version => version.GetProperty("period").GetInt32()));
    }

    [Fact]
    public async Task The_same_command_with_the_id_goes_on_with_the_note_that_it_had()
    {
        await using Fixture fixture = await StartAsync();
        CommandRun sent = await CommandRun.RunAsync(fixture, "update", "alice", "key", "--note", "n", "--json");
        string id = Text(sent.Json, "request_id");
        CommandRun again = await CommandRun.RunAsync(
            fixture, "update", "alice", "key", "--note", "n", "--wait", "--request-id", id, "--json");
        CommandRun another = await CommandRun.RunAsync(fixture, "update", "alice", "key", "--note", "m", "--request-id", id);

        Assert.Equal((0, true), (again.Code, again.Json.GetProperty("confirmed").GetBoolean()));
        Assert.Equal(2, another.Code);
        Assert.Contains("the same --note again", another.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Values_and_notes_that_are_too_long_are_wrong_usage()
    {
        await using Fixture fixture = await StartAsync();
        string file = fixture.Folder.In("value");
        File.WriteAllBytes(file, new byte[FixtureLog.Anchor.Configuration.MaxValueLength]);
        CommandRun value = await CommandRun.RunAsync(fixture, "update", "alice", "--file", file, "--note", "n");
        CommandRun note = await CommandRun.RunAsync(
            fixture, "update", "alice", "key", "--note", new string('n', OwnerNote.MaxTextLength + 1));
        Assert.Equal((2, 2), (value.Code, note.Code));
        Assert.Contains("A value of this log has at most", value.Error, StringComparison.Ordinal);
        Assert.Contains("A note has at most 65535 octets", note.Error, StringComparison.Ordinal);
        Assert.Empty(fixture.Server.Requests);
        using JournalClientStateStore store = await JournalClientStateStore.OpenAsync(
            fixture.Folder.In("data/client"), FixtureLog.Anchor, TimeSpan.Zero, fixture.Clock, TestContext.Current.CancellationToken);
        Assert.Empty(store.Current.Notes);
    }

    // Returns the device's value in the last request, which must not contain the note's words.
    private static FixtureItem Sent(Fixture fixture, string device)
    {
        using var request = JsonDocument.Parse(fixture.Server.LastUserRequest);
        JsonElement change = request.RootElement.GetProperty("changes")[0];
        JsonElement found = change.TryGetProperty("devices", out JsonElement devices) ? devices[0] : change;
        Assert.Equal(Base64UrlText.Encode(Encoding.UTF8.GetBytes(device)), Text(found, "device_b64"));
        Assert.True(Base64UrlText.TryDecode(Text(found, "value_b64"), out byte[]? value));
        return new FixtureItem(StructureId.Keys, Encoding.UTF8.GetBytes(device), value);
    }

    private static (int Sequence, string Text)[] Notes(JsonElement device) =>
        [.. device.GetProperty("versions").EnumerateArray().Select(version => version.GetProperty("note"))
            .Select(note => (note.GetProperty("sequence").GetInt32(), Text(note, "text")))];

    private static Task<CommandRun> RunAsync(Fixture fixture, string command) => CommandRun.RunAsync(fixture, command.Split(' '));

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString()!;
}
