using System.Diagnostics;

namespace Optiks.Storage.Sqlite.Tests;

/// <summary>
/// Makes a folder read-only even for root, as a system does with a failing disk. Only root may do this, so the test is skipped for other
/// users.
/// </summary>
internal sealed class ReadOnlyMount : IDisposable
{
    private readonly string _folder;
    private bool _ended;

    private ReadOnlyMount(string folder) => _folder = folder;

    /// <summary>Mounts a read-only file system over a folder until the caller disposes of the result.</summary>
    public static ReadOnlyMount Over(string folder)
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess && TryRun("mount", "--bind", folder, folder), "Only root may mount.");
        var mount = new ReadOnlyMount(folder);
        Assert.True(TryRun("mount", "-o", "remount,ro,bind", folder));
        return mount;
    }

    public void Dispose()
    {
        if (!_ended)
        {
            _ended = true;
            // The unmount is lazy, because a file that was opened while the folder was read-only may still be open.
            Assert.True(TryRun("umount", "--lazy", _folder));
        }
    }

    private static bool TryRun(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        _ = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}
