using Microsoft.Win32.SafeHandles;

namespace Optiks.Tlog;

/// <summary>
/// Represents the right to write to a board's folder, which one process holds at a time (flock on its file ".lock"). The lock ends with
/// <see cref="Dispose"/> or with the process. The holder must keep it during signing too, from reading the head to publishing the
/// checkpoint.
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

    /// <summary>The board's full path.</summary>
    public string Folder { get; }

    /// <summary>Takes the lock of an existing folder; returns null if this process or another holds it.</summary>
    public static BoardLock? TryAcquire(string folder)
    {
        string full = Path.GetFullPath(folder);
        SafeFileHandle? file = Libc.TryLock(Path.Combine(full, ".lock"));
        return file is null ? null : new BoardLock(full, file);
    }

    /// <summary>Takes the lock as soon as it is free.</summary>
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
