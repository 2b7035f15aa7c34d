using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Represents the right to write to a board's folder. Only one process at a time can hold this lock, which is an flock on the folder's file
/// ".lock". The lock ends with <see cref="Dispose"/> or with the process. A signer must hold the lock from reading the newest checkpoint
/// until it has published the next one.
/// </summary>
public sealed class BoardLock : IDisposable
{
    private static readonly TimeSpan RetryInterval = TimeSpan.FromMilliseconds(20);

    private readonly SafeFileHandle _file;

    private BoardLock(string folder, SafeFileHandle file)
    {
        Folder = folder;
        _file = file;
    }

    /// <summary>The full path of the board's folder.</summary>
    public string Folder { get; }

    /// <summary>Takes the lock of an existing folder; returns null if this process or another process holds the lock.</summary>
    public static BoardLock? TryAcquire(string folder)
    {
        string full = Path.GetFullPath(folder);
        SafeFileHandle? file = Libc.TryLock(Path.Combine(full, ".lock"));
        return file is null ? null : new BoardLock(full, file);
    }

    /// <summary>Waits until the lock is free, and takes it.</summary>
    public static async Task<BoardLock> AcquireAsync(string folder, CancellationToken cancellationToken)
    {
        BoardLock? taken;
        while ((taken = TryAcquire(folder)) is null)
        {
            await Task.Delay(RetryInterval, cancellationToken).ConfigureAwait(false);
        }
        return taken;
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    internal void ThrowUnlessHeldFor(string folder)
    {
        ObjectDisposedException.ThrowIf(_file.IsClosed, this);
        if (!string.Equals(Folder, folder, StringComparison.Ordinal))
        {
            throw new ArgumentException($"The lock is for {Folder}, not for {folder}.");
        }
    }
}
