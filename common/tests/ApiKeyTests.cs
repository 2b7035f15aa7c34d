using System.Diagnostics;
using System.Text;
using Optiks.ApiKeys;
using Optiks.Secrets;

namespace Optiks.Common.Tests;

public sealed class ApiKeyTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly ManualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_new_key_is_well_formed_and_its_own()
    {
        string key = ApiKey.Generate();
        Assert.Equal("optiks_".Length + 43, key.Length);
        Assert.True(ApiKey.IsWellFormed(key));
        Assert.NotEqual(key, ApiKey.Generate());
        Assert.False(ApiKey.IsWellFormed(key[..^1]));
        Assert.False(ApiKey.IsWellFormed(key.ToUpperInvariant()));
        Assert.False(ApiKey.IsWellFormed(key + "="));
    }

    [Fact]
    public void The_store_finds_keys_of_the_file_only()
    {
        string key = ApiKey.Generate();
        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update | ApiScopes.Lookup),
            new ApiKeyEntry("bob", ApiKey.Hash(ApiKey.Generate()), ApiScopes.History));
        var store = new ApiKeyStore(_folder.Data.ApiKeys, _time);
        Assert.True(store.TryFind(key, out ApiKeyEntry? entry));
        Assert.Equal("alice", entry.Name);
        Assert.Equal(ApiScopes.Update | ApiScopes.Lookup, entry.Scopes);
        Assert.False(store.TryFind(ApiKey.Generate(), out _));
        Assert.False(store.TryFind("", out _));
    }

    [Fact]
    public void The_store_follows_the_file()
    {
        string key = ApiKey.Generate();
        var problems = new List<SecretsException>();
        var store = new ApiKeyStore(_folder.Data.ApiKeys, _time, problems.Add);
        Assert.False(store.TryFind(key, out _));

        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(store.TryFind(key, out _));

        File.WriteAllText(_folder.Data.ApiKeys, "{");
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(store.TryFind(key, out _));
        Assert.Single(problems);

        Write();
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(store.TryFind(key, out _));
        Assert.Single(problems);
    }

    [Fact]
    public void A_key_revoked_in_a_file_of_the_wrong_mode_is_revoked_by_the_remedy_that_the_log_names()
    {
        string path = _folder.Data.ApiKeys;
        string key = ApiKey.Generate();
        string kept = ApiKey.Generate();
        var keep = new ApiKeyEntry("bob", ApiKey.Hash(kept), ApiScopes.Update);
        var problems = new List<SecretsException>();
        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update), keep);
        var store = new ApiKeyStore(path, _time, problems.Add);
        Assert.True(store.TryFind(key, out _));

        File.WriteAllBytes(path, ApiKeyFile.Format([keep]));
        File.SetUnixFileMode(path, AtomicFile.PublicMode | UnixFileMode.GroupWrite);
        for (int i = 0; i < 3; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            Assert.True(store.TryFind(key, out _));
        }
        Assert.Contains($"chmod go-w {path}", Assert.Single(problems).Message, StringComparison.Ordinal);

        // A change of the mode changes neither the file's length nor its time of writing, so the store must notice the change in another
        // way.
        File.SetUnixFileMode(path, AtomicFile.PublicMode);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(store.TryFind(key, out _));
        Assert.True(store.TryFind(kept, out _));
        Assert.Single(problems);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_change_that_keeps_length_and_time_is_seen(bool inPlace)
    {
        string path = _folder.Data.ApiKeys;
        string key = ApiKey.Generate();
        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update));
        var store = new ApiKeyStore(path, _time);
        Assert.True(store.TryFind(key, out _));

        DateTime written = File.GetLastWriteTimeUtc(path);
        byte[] other = ApiKeyFile.Format([new ApiKeyEntry("alice", ApiKey.Hash(ApiKey.Generate()), ApiScopes.Update)]);
        if (inPlace)
        {
            File.WriteAllBytes(path, other);
        }
        else
        {
            AtomicFile.Write(path, other, AtomicFile.PrivateMode);
        }
        File.SetLastWriteTimeUtc(path, written);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(store.TryFind(key, out _));
    }

    [Fact]
    public void A_new_key_works_at_once()
    {
        string key = ApiKey.Generate();
        var store = new ApiKeyStore(_folder.Data.ApiKeys, _time);
        Assert.False(store.TryFind(key, out _));

        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update));
        Assert.True(store.TryFind(key, out ApiKeyEntry? entry));
        Assert.Equal("alice", entry.Name);
        Assert.False(store.TryFind(ApiKey.Generate(), out _));
    }

    [Fact]
    public void A_file_that_others_may_write_is_refused()
    {
        Write();
        File.SetUnixFileMode(_folder.Data.ApiKeys, AtomicFile.PublicMode | UnixFileMode.GroupWrite);
        Assert.Throws<SecretsException>(() => new ApiKeyStore(_folder.Data.ApiKeys, _time));
        File.SetUnixFileMode(_folder.Data.ApiKeys, AtomicFile.PublicMode);
        Assert.NotNull(new ApiKeyStore(_folder.Data.ApiKeys, _time));
    }

    [Fact]
    public async Task What_is_no_regular_file_is_refused_and_nobody_waits_for_it()
    {
        string pipe = _folder["pipe"];
        await RunAsync("mkfifo", pipe);
        // If the store did not check the kind of file, opening the pipe would wait forever for a writer.
        Task<ApiKeyStore> opening = Task.Run(() => new ApiKeyStore(pipe, _time), TestContext.Current.CancellationToken);
        SecretsException e = await Assert.ThrowsAsync<SecretsException>(
            () => opening.WaitAsync(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken));
        Assert.Contains("not a regular file", e.Message, StringComparison.Ordinal);
        Assert.Throws<SecretsException>(() => new ApiKeyStore("/dev/zero", _time));
        Assert.Contains("not a regular file", Assert.Throws<SecretsException>(() => SecretFile.Read(pipe)).Message,
            StringComparison.Ordinal);
        // The store accepts a symbolic link to a regular file.
        Write();
        File.CreateSymbolicLink(_folder["link"], _folder.Data.ApiKeys);
        Assert.NotNull(new ApiKeyStore(_folder["link"], _time));
    }

    [Fact]
    public void A_file_that_is_far_too_long_is_refused_and_the_keys_before_hold()
    {
        string key = ApiKey.Generate();
        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update));
        var problems = new List<SecretsException>();
        var store = new ApiKeyStore(_folder.Data.ApiKeys, _time, problems.Add);
        using (FileStream file = File.OpenWrite(_folder.Data.ApiKeys))
        {
            file.SetLength(3L << 30);
        }
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(store.TryFind(key, out _));
        Assert.True(store.IsStale());
        Assert.Contains("at most", Assert.Single(problems).Message, StringComparison.Ordinal);
        Write(new ApiKeyEntry("alice", ApiKey.Hash(key), ApiScopes.Update));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(store.IsStale());
    }

    [Fact]
    public async Task A_file_of_another_user_is_refused()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "only root gives files away");
        Write();
        await RunAsync("chown", "12345", _folder.Data.ApiKeys);
        Assert.Contains("belongs to user 12345",
            Assert.Throws<SecretsException>(() => new ApiKeyStore(_folder.Data.ApiKeys, _time)).Message, StringComparison.Ordinal);
        await RunAsync("chown", "0", _folder.Data.ApiKeys);
        Assert.NotNull(new ApiKeyStore(_folder.Data.ApiKeys, _time));
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"keys": {}}""")]
    [InlineData("""{"keys": [], "more": 1}""")]
    [InlineData("""{"keys": [], "keys": []}""")]
    [InlineData("""{"keys": [{}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH"}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH", "scopes": ["update"], "more": 1}]}""")]
    [InlineData("""{"keys": [{"name": "", "sha256": "HASH", "scopes": ["update"]}]}""")]
    [InlineData("""{"keys": [{"name": 1, "sha256": "HASH", "scopes": ["update"]}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "AAAA", "scopes": ["update"]}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH=", "scopes": ["update"]}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH", "scopes": "update"}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH", "scopes": ["admin"]}]}""")]
    [InlineData("""{"keys": [{"name": "a", "sha256": "HASH", "scopes": ["update", "update"]}]}""")]
    public void A_malformed_file_is_refused(string template)
    {
        string text = template.Replace("HASH", new string('A', 43), StringComparison.Ordinal);
        Assert.Throws<SecretsException>(() => ApiKeyFile.Parse(Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public void The_format_reads_back()
    {
        var entry = new ApiKeyEntry("älice \"x\"", ApiKey.Hash("x"), ApiScopes.History | ApiScopes.Lookup | ApiScopes.Snapshot);
        ApiKeyEntry read = Assert.Single(ApiKeyFile.Parse(ApiKeyFile.Format([entry])));
        Assert.Equal((entry.Name, entry.Scopes), (read.Name, read.Scopes));
        Assert.Equal(entry.Hash.ToArray(), read.Hash.ToArray());
    }

    [Fact]
    public void A_fresh_folder_gets_one_development_key()
    {
        ApiKey.EnsureDevelopmentKey(_folder.Data);
        string key = ApiKey.ReadFile(_folder.Data.ApiKey);
        Assert.True(new ApiKeyStore(_folder.Data.ApiKeys, _time).TryFind(key, out _));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(_folder.Data.ApiKey));

        ApiKey.EnsureDevelopmentKey(_folder.Data);
        Assert.Equal(key, ApiKey.ReadFile(_folder.Data.ApiKey));

        // The folder is now as if the process had crashed after writing the first of the two files.
        File.Delete(_folder.Data.ApiKeys);
        ApiKey.EnsureDevelopmentKey(_folder.Data);
        Assert.True(new ApiKeyStore(_folder.Data.ApiKeys, _time).TryFind(key, out _));
    }

    private void Write(params ApiKeyEntry[] entries) =>
        AtomicFile.Write(_folder.Data.ApiKeys, ApiKeyFile.Format(entries), AtomicFile.PrivateMode);

    private static async Task RunAsync(string program, params string[] arguments)
    {
        using var process = Process.Start(program, arguments);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, process.ExitCode);
    }
}
