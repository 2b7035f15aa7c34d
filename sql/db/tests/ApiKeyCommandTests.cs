using System.Text.Json;
using Optiks.ApiKeys;

namespace Optiks.Db.Tests;

public sealed class ApiKeyCommandTests : IDisposable
{
    private readonly DataFolder _data = new(Path.Combine(Directory.CreateTempSubdirectory("optiks-db-").FullName, "data"));

    public void Dispose() => Directory.Delete(Path.GetDirectoryName(_data.Root)!, recursive: true);

    [Fact]
    public async Task A_key_is_printed_once_and_kept_as_its_hash()
    {
        (int code, string output, string error) = await RunAsync("api-key", "add", "alice", "--scope", "update,lookup");
        Assert.Equal((ExitCodes.Success, true), (code, ApiKey.IsWellFormed(output.TrimEnd())));
        Assert.Contains("alice", error, StringComparison.Ordinal);
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(_data.ApiKeys));
        Assert.DoesNotContain(output.TrimEnd(), File.ReadAllText(_data.ApiKeys), StringComparison.Ordinal);
        Assert.True(Store().TryFind(output.TrimEnd(), out ApiKeyEntry? entry));
        Assert.Equal(("alice", ApiScopes.Update | ApiScopes.Lookup), (entry.Name, entry.Scopes));

        (_, output, _) = await RunAsync("api-key", "list");
        Assert.Equal("alice  update, lookup", output.TrimEnd());
        (_, output, _) = await RunAsync("api-key", "list", "--json");
        JsonElement shown = Assert.Single(JsonDocument.Parse(output).RootElement.GetProperty("keys").EnumerateArray());
        Assert.Equal(["update", "lookup"], shown.GetProperty("scopes").EnumerateArray().Select(scope => scope.GetString()));
    }

    [Fact]
    public async Task A_key_can_go_to_a_file_of_its_own()
    {
        string path = Path.Combine(_data.Root, "snapshot-key");
        (int code, string output, _) = await RunAsync("api-key", "add", "replicas", "--scope", "snapshot", "--out", path, "--json");
        Assert.Equal(ExitCodes.Success, code);
        Assert.False(JsonDocument.Parse(output).RootElement.TryGetProperty("key", out _));
        Assert.True(Store().TryFind(ApiKey.ReadFile(path), out _));

        // The command must not overwrite an existing file, and must not add a key that it could not write to the file.
        string before = File.ReadAllText(path);
        (code, _, _) = await RunAsync("api-key", "add", "more", "--scope", "snapshot", "--out", path);
        Assert.Equal((ExitCodes.Usage, before), (code, File.ReadAllText(path)));
        (code, _, _) = await RunAsync(
            "api-key", "add", "more", "--scope", "snapshot", "--out", Path.Combine(_data.Root, "no-such-folder", "key"));
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Equal(["replicas"], Names());
    }

    [Fact]
    public async Task A_revoked_key_is_gone_and_the_others_stay()
    {
        (_, string alice, _) = await RunAsync("api-key", "add", "alice", "--scope", "update");
        (_, string bob, _) = await RunAsync("api-key", "add", "bob", "--scope", "history");
        (int code, _, _) = await RunAsync("api-key", "revoke", "alice");
        Assert.Equal(ExitCodes.Success, code);
        Assert.False(Store().TryFind(alice.TrimEnd(), out _));
        Assert.True(Store().TryFind(bob.TrimEnd(), out _));

        // The command also revokes the last key, but the file stays. If the file were missing, programs would make a development key.
        Assert.Equal(ExitCodes.Success, (await RunAsync("api-key", "revoke", "bob")).Code);
        Assert.Empty(Names());
        Assert.True(File.Exists(_data.ApiKeys));
    }

    [Theory]
    [InlineData("add", "alice", "--scope", "update")]
    [InlineData("add", "bob")]
    [InlineData("add", "bob", "--scope", "admin")]
    [InlineData("add", "bob", "--scope", "update,")]
    [InlineData("add", "", "--scope", "update")]
    [InlineData("add", "bob\u202e", "--scope", "update")]
    [InlineData("add", "bob\n", "--scope", "update")]
    [InlineData("revoke", "bob")]
    [InlineData("revoke")]
    public async Task What_is_refused_changes_nothing(params string[] args)
    {
        await RunAsync("api-key", "add", "alice", "--scope", "lookup");
        string before = File.ReadAllText(_data.ApiKeys);
        (int code, string output, string error) = await RunAsync(["api-key", .. args]);
        Assert.Equal((ExitCodes.Usage, ""), (code, output));
        Assert.NotEmpty(error);
        Assert.Equal(before, File.ReadAllText(_data.ApiKeys));
    }

    [Fact]
    public async Task A_file_that_services_would_not_read_the_same_way_is_left_alone()
    {
        await RunAsync("api-key", "add", "alice", "--scope", "lookup");
        File.SetUnixFileMode(_data.ApiKeys, AtomicFile.PublicMode);
        (int code, _, string error) = await RunAsync("api-key", "revoke", "alice");
        Assert.Equal(ExitCodes.Configuration, code);
        Assert.Contains("chmod 600", error, StringComparison.Ordinal);
        Assert.Equal(["alice"], Names());

        File.WriteAllText(_data.ApiKeys, "{");
        File.SetUnixFileMode(_data.ApiKeys, AtomicFile.PrivateMode);
        Assert.Equal(ExitCodes.Configuration, (await RunAsync("api-key", "add", "bob", "--scope", "lookup")).Code);
        Assert.Equal("{", File.ReadAllText(_data.ApiKeys));
    }

    [Fact]
    public async Task Changes_at_the_same_time_are_all_kept()
    {
        string[] names = [.. Enumerable.Range(0, 16).Select(i => $"key-{i:00}")];
        (int Code, string Output, string Error)[] runs =
            await Task.WhenAll(names.Select(name => Task.Run(() => RunAsync("api-key", "add", name, "--scope", "lookup"))));
        Assert.All(runs, run => Assert.Equal((ExitCodes.Success, ""), (run.Code, run.Code == 0 ? "" : run.Error)));
        Assert.Equal(names, Names().Order(StringComparer.Ordinal));
        Assert.Empty(Directory.GetFiles(_data.Root, "*.tmp"));
    }

    private ApiKeyStore Store() => new(_data.ApiKeys, TimeProvider.System);

    private IEnumerable<string> Names() => new ApiKeyEditor(_data.ApiKeys).Read().Select(entry => entry.Name);

    private async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync(args, output, error, name => name == DataFolder.Variable ? _data.Root : null);
        return (code, output.ToString(), error.ToString());
    }
}
