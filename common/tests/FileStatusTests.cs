namespace Optiks.Common.Tests;

public sealed class FileStatusTests
{
    [Fact]
    public void Names_of_one_file_lead_to_one_status()
    {
        using var temporary = new TemporaryFolder();
        File.WriteAllText(temporary["f"], "text");
        File.CreateSymbolicLink(temporary["link"], temporary["f"]);
        Directory.CreateSymbolicLink(temporary["folder"], temporary.Path);
        FileStatus status = FileStatus.TryRead(temporary["f"])!.Value;
        Assert.Equal(status, FileStatus.TryRead(temporary["link"]));
        Assert.Equal(status, FileStatus.TryRead(temporary["folder/f"]));
        using (FileStream stream = File.OpenRead(temporary["f"]))
        {
            Assert.Equal(status, FileStatus.Read(stream.SafeFileHandle));
        }
        Assert.Equal((4UL, File.GetUnixFileMode(temporary["f"])), (status.Length, status.Mode));
        Assert.Equal(File.GetLastWriteTimeUtc(temporary["f"]), DateTime.UnixEpoch.AddTicks(status.Written / 100));
        Assert.Null(FileStatus.TryRead(temporary["missing"]));
        Assert.Null(FileStatus.TryRead(temporary["f/below"]));
    }

    [Fact]
    public void Whatever_is_done_to_a_file_changes_its_status()
    {
        using var temporary = new TemporaryFolder();
        string path = temporary["f"];
        AtomicFile.Write(path, "text"u8, AtomicFile.PrivateMode);
        FileStatus status = FileStatus.TryRead(path)!.Value;
        Assert.True(status.Owner == 0 || !Environment.IsPrivilegedProcess);

        File.SetUnixFileMode(path, AtomicFile.PublicMode);
        FileStatus other = FileStatus.TryRead(path)!.Value;
        Assert.NotEqual(status, other);
        Assert.Equal((status.Written, status.Length), (other.Written, other.Length));
        Assert.True(status.IsSameFile(other));

        AtomicFile.Write(path, "text"u8, AtomicFile.PublicMode);
        Assert.False(other.IsSameFile(FileStatus.TryRead(path)!.Value));
    }
}
