using System.Globalization;
using System.Text;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.ApiKeys;

/// <summary>
/// Changes a file of API keys while services read it. A service never reads a half-written file, and applies a change within a second.
/// Several processes may change the file at the same time, because each takes a lock on <c>api-keys.json.lock</c>, next to the file, for
/// its change.
/// </summary>
public sealed class ApiKeyEditor
{
    private const int MaxNameLength = 100;

    private static readonly TimeSpan s_lockWait = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_lockPoll = TimeSpan.FromMilliseconds(20);

    private string _path;

    /// <summary>Creates an editor of the file at this path. The file may be missing, because the constructor does not access it.</summary>
    public ApiKeyEditor(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        _path = Path.GetFullPath(path);
    }

    /// <summary>
    /// Returns the entries of the API keys in the file; the list is empty if there is no file. Throws <see cref="SecretsException"/> if the
    /// file is invalid, and <see cref="IOException"/> or <see cref="UnauthorizedAccessException"/> if the file cannot be read.
    /// </summary>
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
    /// Makes an API key and returns its text. The hash of the key is on disk when the call returns; the file never has the key itself.
    /// Throws <see cref="ApiKeyEditException"/> if the name is invalid or taken, and <see cref="SecretsException"/> if the file is invalid
    /// or belongs to another user. After an exception the file is unchanged.
    /// </summary>
    /// <param name="name">The holder of the key: 1 to 100 printable characters, different from the names of other keys. The name appears in
    /// logs and identifies the caller in rate limits.</param>
    /// <param name="scopes">The key's scopes; at least one.</param>
    /// <param name="cancellationToken">Ends the wait for the lock.</param>
    public async Task<string> AddAsync(string name, ApiScopes scopes, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentOutOfRangeException.ThrowIfEqual(scopes, ApiScopes.None);
        if (name.Length is < 1 or > MaxNameLength || !IsPrintable(name))
        {
            throw new ApiKeyEditException(
                $"A key's name must have 1 to {MaxNameLength} characters, without control characters and invisible characters.");
        }
        string key = ApiKey.Generate();
        var entry = new ApiKeyEntry(name, ApiKey.Hash(key), scopes);
        await ChangeAsync(
            before => before.Any(one => one.Name == name)
                ? throw new ApiKeyEditException($"An API key '{name}' already exists: revoke it first, or choose another name.")
                : [.. before, entry],
            cancellationToken).ConfigureAwait(false);
        return key;
    }

    /// <summary>
    /// Removes the API key with this name. Services refuse the key within a second. Throws <see cref="ApiKeyEditException"/> if no key has
    /// the name, and otherwise the same exceptions as <see cref="AddAsync"/>.
    /// </summary>
    public Task RevokeAsync(string name, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(name);
        // A file that was written by hand may contain a name twice. Revoking the name removes both entries.
        return ChangeAsync(
            before => before.Where(one => one.Name != name).ToList() is var after && after.Count < before.Count
                ? after
                : throw new ApiKeyEditException($"There is no API key '{name}'."),
            cancellationToken);
    }

    private async Task ChangeAsync(Func<IReadOnlyList<ApiKeyEntry>, IReadOnlyList<ApiKeyEntry>> change, CancellationToken cancellationToken)
    {
        DataFolder.CreateFolder(Path.GetDirectoryName(_path)!);
        // If the path is a symbolic link, the lock is next to the link's target, so that two links to one file share one lock.
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
            // The update-task's first start may create the file at the same time, without taking the lock, so an existing file must not be
            // overwritten.
            if (AtomicFile.TryCreate(_path, after, AtomicFile.PrivateMode))
            {
                return;
            }
        }
    }

    // Returns the entries of the file, or throws if replacing the file would shut out its readers. The new file belongs to this process's
    // user and has mode 0600. If the old file belonged to another user, or a group could read it, the services could not read the new file
    // and would keep the old keys.
    private List<ApiKeyEntry>? ReadOwn()
    {
        try
        {
            using var stream = new FileStream(_path, new FileStreamOptions { BufferSize = 0 });
            if (!SecretFile.IsOwnFile(stream.SafeFileHandle))
            {
                throw new SecretsException($"{_path} belongs to another user, whom the services run as: run this command as that user.");
            }
            if ((File.GetUnixFileMode(stream.SafeFileHandle) & ~AtomicFile.PrivateMode) != 0)
            {
                throw new SecretsException($"{_path} is open to other users: run 'chmod 600 {_path}'; the services run as its owner.");
            }
            // The editor replaces the file by a rename, which gives the new contents to one name only. A service that reads the file by
            // another name would keep the revoked keys.
            if (OperatingSystem.IsLinux() && FileStatus.Read(stream.SafeFileHandle).Links > 1)
            {
                throw new SecretsException(
                    $"{_path} has other names (hard links), which would keep the old keys: remove them ('find / -samefile {_path}' lists them), or replace them by symbolic links.");
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
        (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse
            or UnicodeCategory.OtherNotAssigned
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator)) && name.Trim() == name;
}
