using System.Globalization;
using System.Text;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.ApiKeys;

/// <summary>
/// ApiKeyEditor changes a file of API keys while services read it: they see the file before or the one after, and take the change within a second. Any process; changes take turns by
/// a lock on <c>api-keys.json.lock</c> beside the file.
/// </summary>
public sealed class ApiKeyEditor
{
    private const int MaxNameLength = 100;

    private static readonly TimeSpan s_lockWait = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_lockPoll = TimeSpan.FromMilliseconds(20);

    private string _path;

    /// <summary>ApiKeyEditor of one file, which may be missing. Touches nothing.</summary>
    public ApiKeyEditor(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        _path = Path.GetFullPath(path);
    }

    /// <summary>Read gives the keys as they are now; none when there is no file. Throws <see cref="SecretsException"/> when the file is invalid, <see cref="IOException"/> or <see cref="UnauthorizedAccessException"/> when it cannot be read.</summary>
    public IReadOnlyList<ApiKeyEntry> Read()
    {
        try
        {
            return Parse(File.ReadAllBytes(_path));
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return [];
        }
    }

    /// <summary>
    /// Add makes a key, which is on disk when the call returns, and of which this file keeps the hash alone. Throws <see cref="ApiKeyEditException"/> when the name cannot be one or is taken,
    /// <see cref="SecretsException"/> when the file is invalid or another user's; the file is then as before.
    /// </summary>
    /// <param name="name">Who it is given to: 1 to 100 characters that can be printed, not the name of another key. It appears in logs and counts as the caller in rate limits.</param>
    /// <param name="scopes">What it allows; at least one scope.</param>
    /// <param name="cancellationToken">Ends the wait for the lock.</param>
    public async Task<string> AddAsync(string name, ApiScopes scopes, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentOutOfRangeException.ThrowIfEqual(scopes, ApiScopes.None);
        if (name.Length is < 1 or > MaxNameLength || !IsPrintable(name))
        {
            throw new ApiKeyEditException($"A key's name has 1 to {MaxNameLength} characters, none of them a control character or an invisible one.");
        }
        string key = ApiKey.Generate();
        var entry = new ApiKeyEntry(name, ApiKey.Hash(key), scopes);
        await ChangeAsync(
            before => before.Any(one => one.Name == name)
                ? throw new ApiKeyEditException($"There is an API key '{name}' already: revoke it first, or take another name.")
                : [.. before, entry],
            cancellationToken).ConfigureAwait(false);
        return key;
    }

    /// <summary>Revoke takes a key out: services refuse it within a second. Throws <see cref="ApiKeyEditException"/> when there is none of that name, and what <see cref="AddAsync"/> throws.</summary>
    public Task RevokeAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        // A file written by hand may have a name twice: whoever revokes it means both.
        return ChangeAsync(
            before => before.Where(one => one.Name != name).ToList() is var after && after.Count < before.Count
                ? after
                : throw new ApiKeyEditException($"There is no API key '{name}'."),
            cancellationToken);
    }

    private async Task ChangeAsync(Func<IReadOnlyList<ApiKeyEntry>, IReadOnlyList<ApiKeyEntry>> change, CancellationToken cancellationToken)
    {
        DataFolder.CreateFolder(Path.GetDirectoryName(_path)!);
        // Two links to one file share one lock.
        _path = FileTarget.Resolve(_path).Path;
        using FileStream held = await LockAsync(cancellationToken).ConfigureAwait(false);
        while (true)
        {
            IReadOnlyList<ApiKeyEntry>? before = ReadOwn();
            byte[] after = ApiKeyFile.Format(change(before ?? []));
            if (before is not null)
            {
                AtomicFile.Write(_path, after, AtomicFile.PrivateMode);
                return;
            }
            // The first start of the update-task makes the file as well, and knows no lock.
            if (AtomicFile.TryCreate(_path, after, AtomicFile.PrivateMode))
            {
                return;
            }
        }
    }

    // A file that is replaced belongs to who replaces it, with mode 0600: the services could no longer read what was someone else's or open to a group, and would go on with the old keys.
    private List<ApiKeyEntry>? ReadOwn()
    {
        try
        {
            using var stream = new FileStream(_path, new FileStreamOptions { BufferSize = 0 });
            if (!SecretFile.IsOwnFile(stream.SafeFileHandle))
            {
                throw new SecretsException($"{_path} belongs to another user, as whom the services run: run this command as that user.");
            }
            if ((File.GetUnixFileMode(stream.SafeFileHandle) & ~AtomicFile.PrivateMode) != 0)
            {
                throw new SecretsException($"{_path} is open to other users: run 'chmod 600 {_path}'; the services run as its owner.");
            }
            // A rename gives one name the new contents: a service that reads another name would keep the revoked keys.
            if (OperatingSystem.IsLinux() && FileStatus.Of(stream.SafeFileHandle).Links > 1)
            {
                throw new SecretsException($"{_path} has other names (hard links), which would keep the old keys: remove them ('find / -samefile {_path}' lists them), or replace them by symbolic links.");
            }
            byte[] octets = new byte[stream.Length];
            stream.ReadExactly(octets);
            return [.. Parse(octets)];
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    private IReadOnlyList<ApiKeyEntry> Parse(byte[] octets)
    {
        try
        {
            return ApiKeyFile.Parse(octets);
        }
        catch (SecretsException e)
        {
            throw new SecretsException($"{_path}: {e.Message}", e);
        }
    }

    private async Task<FileStream> LockAsync(CancellationToken cancellationToken)
    {
        string path = _path + ".lock";
        long started = TimeProvider.System.GetTimestamp();
        FileStream? held;
        while ((held = LockFile.TryTake(path)) is null)
        {
            if (TimeProvider.System.GetElapsedTime(started) >= s_lockWait)
            {
                throw new SecretsException($"{_path} is being changed by another command: try again.");
            }
            await Task.Delay(s_lockPoll, cancellationToken).ConfigureAwait(false);
        }
        return held;
    }

    private static bool IsPrintable(string name) => name.EnumerateRunes().All(rune => Rune.GetUnicodeCategory(rune) is not
        (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator)) && name.Trim() == name;
}
