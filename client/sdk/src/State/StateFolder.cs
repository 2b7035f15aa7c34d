using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Optiks.Client;

/// <summary>
/// A folder of mode 0700 with one state file, which one process at a time may use. Each call replaces the file in one step and returns once
/// the file is on disk.
/// </summary>
internal sealed class StateFolder : IDisposable
{
    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(25);
    private readonly FileStream _lock;
    private readonly string _file;

    private StateFolder(string path, FileStream held)
    {
        Path = path;
        _file = System.IO.Path.Combine(path, "state.json");
        _lock = held;
    }

    public string Path { get; }

    /// <summary>
    /// Opens or creates the folder. The call waits until no other process uses the folder, but at most for the time in the parameter
    /// <paramref name="wait"/>.
    /// </summary>
    public static async Task<StateFolder> OpenAsync(string path, TimeSpan wait, TimeProvider time, CancellationToken cancellationToken)
    {
        string full = System.IO.Path.GetFullPath(path);
        RequireOwn(full);
        DataFolder.CreateFolder(full);
        string name = System.IO.Path.Combine(full, "lock");
        long started = time.GetTimestamp();
        FileStream? held;
        while ((held = LockFile.TryTake(name)) is null)
        {
            if (time.GetElapsedTime(started) >= wait)
            {
                throw new ClientStateException($"Another process uses the client state in {full}.");
            }
            await Task.Delay(PollInterval, time, cancellationToken).ConfigureAwait(false);
        }
        return new StateFolder(full, held);
    }

    // Refuses another user's folder if this process runs as root. Root may write into the folder, but would leave files that the folder's
    // owner can neither read nor replace.
    private static void RequireOwn(string folder)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            return;
        }
        string? nearest = folder;
        while (nearest is not null && !Directory.Exists(nearest))
        {
            nearest = System.IO.Path.GetDirectoryName(nearest);
        }
        if (nearest is not null && FileStatus.TryRead(nearest) is { Owner: not 0 and var owner })
        {
            throw new ClientStateException(
                $"{nearest} belongs to user {owner}, who could not use what root writes there: run the command as that user, or choose another folder.");
        }
    }

    public T? Load<T>(JsonTypeInfo<T> type)
        where T : class
    {
        byte[] octets;
        try
        {
            octets = File.ReadAllBytes(_file);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        try
        {
            return JsonSerializer.Deserialize(octets, type) ?? throw new JsonException("null");
        }
        catch (JsonException e)
        {
            throw Damaged("it is not the expected JSON", e);
        }
    }

    /// <summary>
    /// Throws if the caller found a fault in the loaded contents. The parameter <paramref name="fault"/> describes the fault, or is null if
    /// there is no fault.
    /// </summary>
    public void Require(string? fault)
    {
        if (fault is not null)
        {
            throw Damaged(fault, null);
        }
    }

    /// <summary>
    /// Replaces the state on disk. Throws if the new state has a fault, because the next start would refuse the new state, and the previous
    /// state would be lost.
    /// </summary>
    public void Save<T>(T state, JsonTypeInfo<T> type, string? fault)
    {
        if (fault is not null)
        {
            throw new ClientStateException(
                $"The new client state has a fault ({fault}), so {_file} keeps the one before it. Report this to the authors of Optiks.");
        }
        AtomicFile.Write(_file, JsonSerializer.SerializeToUtf8Bytes(state, type), AtomicFile.PrivateMode);
    }

    /// <summary>Writes these files of evidence to a new folder below this folder.</summary>
    public string WriteEvidence(string name, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> files) =>
        EvidenceFolder.Write(System.IO.Path.Combine(Path, "evidence"), name, files);

    public void Dispose() => _lock.Dispose();

    private ClientStateException Damaged(string fault, Exception? cause) =>
        new(
            $"{_file} is damaged ({fault}). Restore it from a backup; deleting it makes this client forget which view of the log it has seen.", cause!);
}
