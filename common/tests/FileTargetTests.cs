using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Optiks.ApiKeys;
using Optiks.Secrets;

namespace Optiks.Common.Tests;

/// <summary>Tests writing to paths that are not regular files, such as links.</summary>
public sealed class FileTargetTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_write_replaces_the_target_of_a_link_and_leaves_the_link()
    {
        Directory.CreateDirectory(_folder["real/below"]);
        File.WriteAllText(_folder["real/f"], "old");
        File.CreateSymbolicLink(_folder["near"], "real/f");
        File.CreateSymbolicLink(_folder["far"], _folder["near"]);
        // In a path, ".." after a link to a folder is the parent of the link's target, not the folder that contains the link.
        File.CreateSymbolicLink(_folder["below"], "real/below");
        File.CreateSymbolicLink(_folder["real/below/up"], "../f");
        foreach (string name in new[] { "near", "far", "below/up", "real/f" })
        {
            AtomicFile.Write(_folder[name], System.Text.Encoding.UTF8.GetBytes(name), AtomicFile.PrivateMode);
            Assert.Equal(name, File.ReadAllText(_folder["real/f"]));
            Assert.Equal(name == "real/f" ? null : "link",
                File.ResolveLinkTarget(_folder[name], returnFinalTarget: false) is null ? null : "link");
        }
        Assert.False(AtomicFile.TryCreate(_folder["near"], "x"u8, AtomicFile.PrivateMode));
        Assert.Equal(["f"], Directory.GetFiles(_folder["real"]).Select(Path.GetFileName));
    }

    [Fact]
    public void A_link_to_nothing_yet_is_followed_and_one_to_itself_is_refused()
    {
        Directory.CreateDirectory(_folder["real"]);
        File.CreateSymbolicLink(_folder["new"], "real/f");
        Assert.True(AtomicFile.TryCreate(_folder["new"], "one"u8, AtomicFile.PrivateMode));
        Assert.Equal("one", File.ReadAllText(_folder["real/f"]));

        File.CreateSymbolicLink(_folder["circle"], "circle");
        IOException refused = Assert.Throws<IOException>(() => AtomicFile.Write(_folder["circle"], "x"u8, AtomicFile.PrivateMode));
        Assert.Contains(_folder["circle"], refused.Message, StringComparison.Ordinal);
        File.CreateSymbolicLink(_folder["lost"], "missing/f");
        Assert.Throws<DirectoryNotFoundException>(() => AtomicFile.Write(_folder["lost"], "x"u8, AtomicFile.PrivateMode));
    }

    [Fact]
    public void A_state_file_never_replaces_a_FIFO_or_a_folder()
    {
        MakeFifo(_folder["fifo"]);
        Directory.CreateDirectory(_folder["d"]);
        foreach (string name in new[] { "fifo", "d" })
        {
            Assert.Contains(_folder[name],
                Assert.Throws<IOException>(() => AtomicFile.Write(_folder[name], "x"u8, AtomicFile.PrivateMode)).Message,
                StringComparison.Ordinal);
        }
        Assert.False(FileStatus.TryRead(_folder["fifo"])!.Value.IsRegular);
        Assert.Empty(Directory.GetFiles(_folder.Path, "*.tmp"));
    }

    [Fact]
    public async Task Output_goes_into_a_FIFO_and_a_device_and_replaces_files()
    {
        MakeFifo(_folder["fifo"]);
        Task<string> read = Task.Run(() => File.ReadAllText(_folder["fifo"]), TestContext.Current.CancellationToken);
        Assert.False(OutputFile.IsTaken(_folder["fifo"]));
        Assert.True(OutputFile.TryCreate(_folder["fifo"], "whole"u8, AtomicFile.PrivateMode));
        Assert.Equal("whole", await read);
        OutputFile.Write("/dev/null", "x"u8, AtomicFile.PublicMode);
        Assert.False(FileStatus.TryRead("/dev/null")!.Value.IsRegular);

        Assert.False(OutputFile.IsTaken(_folder["f"]));
        Assert.True(OutputFile.TryCreate(_folder["f"], "one"u8, AtomicFile.PrivateMode));
        Assert.True(OutputFile.IsTaken(_folder["f"]));
        Assert.False(OutputFile.TryCreate(_folder["f"], "two"u8, AtomicFile.PrivateMode));
        OutputFile.Write(_folder["f"], "three"u8, AtomicFile.PrivateMode);
        Assert.Equal("three", File.ReadAllText(_folder["f"]));
        Assert.True(OutputFile.IsTaken(_folder.Path));
    }

    [Fact]
    public void Output_to_an_open_file_of_this_process_follows_what_was_written_to_it()
    {
        using (SafeFileHandle file = File.OpenHandle(_folder["out"], FileMode.Create, FileAccess.Write))
        {
            string name = $"/proc/self/fd/{file.DangerousGetHandle()}";
            OutputFile.Write(name, "one "u8, AtomicFile.PrivateMode);
            Assert.True(OutputFile.TryCreate(name, "two"u8, AtomicFile.PrivateMode));
        }
        Assert.Equal("one two", File.ReadAllText(_folder["out"]));
    }

    [Fact]
    public async Task A_key_revoked_through_a_link_is_revoked_where_services_read()
    {
        Directory.CreateDirectory(_folder["shared"]);
        string shared = _folder["shared/api-keys.json"];
        File.CreateSymbolicLink(_folder["api-keys.json"], "shared/api-keys.json");
        var editor = new ApiKeyEditor(_folder["api-keys.json"]);
        string key = await editor.AddAsync("alice", ApiScopes.Update, TestContext.Current.CancellationToken);
        Assert.True(new ApiKeyStore(shared, TimeProvider.System).TryFind(key, out _));
        await editor.RevokeAsync("alice", TestContext.Current.CancellationToken);
        Assert.False(new ApiKeyStore(shared, TimeProvider.System).TryFind(key, out _));
        Assert.True(File.Exists(shared + ".lock"));
    }

    [Fact]
    public async Task Keys_in_a_file_with_another_hard_link_are_not_changed()
    {
        string path = _folder["api-keys.json"];
        var editor = new ApiKeyEditor(path);
        await editor.AddAsync("alice", ApiScopes.Update, TestContext.Current.CancellationToken);
        using (Process linked = Process.Start("ln", [path, _folder["other"]]))
        {
            await linked.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
        SecretsException refused =
            await Assert.ThrowsAsync<SecretsException>(() => editor.RevokeAsync("alice", TestContext.Current.CancellationToken));
        Assert.Contains("hard links", refused.Message, StringComparison.Ordinal);
        File.Delete(_folder["other"]);
        await editor.RevokeAsync("alice", TestContext.Current.CancellationToken);
    }

    [Fact]
    public void Only_a_lock_that_another_holds_is_told_as_held()
    {
        using (FileStream? held = LockFile.TryTake(_folder["lock"]))
        {
            Assert.NotNull(held);
            Assert.Null(LockFile.TryTake(_folder["lock"]));
        }
        using FileStream? again = LockFile.TryTake(_folder["lock"]);
        Assert.NotNull(again);
        Directory.CreateDirectory(_folder["folder.lock"]);
        Assert.Contains("folder.lock", Assert.ThrowsAny<IOException>(() => LockFile.TryTake(_folder["folder.lock"])).Message,
            StringComparison.Ordinal);
        // Not even root can create a lock file in the folder /proc/self.
        Assert.ThrowsAny<IOException>(() => LockFile.TryTake("/proc/self/lock"));
    }

    private static void MakeFifo(string path)
    {
        using Process made = Process.Start("mkfifo", [path]);
        made.WaitForExit();
        Assert.Equal(0, made.ExitCode);
    }
}
