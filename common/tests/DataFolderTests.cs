using Optiks.Tests.Shared;

namespace Optiks.Common.Tests;

public sealed class DataFolderTests
{
    [Theory]
    [InlineData("/a", "/x", "/home/me", "/a")]
    [InlineData(null, "/x", "/home/me", "/x/optiks")]
    [InlineData("", "/x", "/home/me", "/x/optiks")]
    [InlineData(null, "relative", "/home/me", "/home/me/.local/share/optiks")]
    [InlineData(null, null, "/home/me", "/home/me/.local/share/optiks")]
    public void Is_where_the_environment_says(string? data, string? xdg, string home, string expected) =>
        Assert.Equal(expected,
            DataFolder.Resolve(name => name switch { "OPTIKS_DATA" => data, "XDG_DATA_HOME" => xdg, "HOME" => home, _ => null }).Root);

    [Fact]
    public void Is_made_private_and_left_alone_when_there()
    {
        using var temporary = new TemporaryFolder();
        var folder = new DataFolder(temporary["a"]);
        Assert.False(Directory.Exists(folder.Root));
        folder.EnsureCreated();
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(folder.Root));
        File.WriteAllText(folder.Database, "x");
        folder.EnsureCreated();
        Assert.Equal("x", File.ReadAllText(folder.Database));
    }

    [Fact]
    public void A_files_name_is_made_durable_and_so_is_a_folders()
    {
        using var temporary = new TemporaryFolder();
        using var events = new FolderEvents(temporary.Path);
        AtomicFile.Write(temporary["f"], "one"u8, AtomicFile.PrivateMode);
        IReadOnlyList<string> done = events.Read();
        Assert.Equal(["move f", "open"], done.SkipWhile(one => one != "move f"));
        Assert.DoesNotContain("open", done.TakeWhile(one => one != "move f"));

        Assert.True(AtomicFile.TryCreate(temporary["g"], "one"u8, AtomicFile.PrivateMode));
        Assert.Equal(["move g", "open"], events.Read().SkipWhile(one => one != "move g"));

        DataFolder.CreateFolder(temporary["a/b"]);
        Assert.Equal(["create a", "open"], events.Read());
    }

    [Fact]
    public void A_folder_that_cannot_be_written_is_said_in_a_sentence_at_the_start()
    {
        using var temporary = new TemporaryFolder();
        File.WriteAllText(temporary["file"], "x");
        StartupException refused = Assert.Throws<StartupException>(() => new DataFolder(temporary["file/data"]).EnsureWritable());
        Assert.Equal(ExitCodes.Configuration, refused.ExitCode);
        Assert.Contains(temporary["file/data"], refused.Message, StringComparison.Ordinal);
        Assert.Contains(DataFolder.Variable, refused.Message, StringComparison.Ordinal);

        DataFolder usable = new DataFolder(temporary["data"]).EnsureWritable();
        Assert.Empty(Directory.GetFileSystemEntries(usable.Root));
        // If the test runs as root, there is no refusal, because root may write everywhere.
        if (!Environment.IsPrivilegedProcess)
        {
            File.SetUnixFileMode(usable.Root, UnixFileMode.UserRead | UnixFileMode.UserExecute);
            Assert.Throws<StartupException>(() => usable.EnsureWritable());
            File.SetUnixFileMode(usable.Root, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }

    [Fact]
    public void A_blank_name_is_a_setting_to_mend() =>
        Assert.Equal(ExitCodes.Configuration, Assert.Throws<StartupException>(() => new DataFolder(" ")).ExitCode);

    [Theory]
    [InlineData("Couldn't set nope (Parameter 'nope')", "Couldn't set nope")]
    [InlineData("one\ntwo (Parameter 'a') three", "one two three")]
    [InlineData("Connection refused (127.0.0.1:8301)", "Connection refused (127.0.0.1:8301)")]
    public void An_error_for_people_is_one_line_without_parameters_of_the_runtime(string message, string line) =>
        Assert.Equal(line, ErrorText.Line(message));

    [Fact]
    public void A_file_is_replaced_whole_with_its_permissions()
    {
        using var temporary = new TemporaryFolder();
        AtomicFile.Write(temporary["f"], "one"u8, AtomicFile.PublicMode);
        AtomicFile.Write(temporary["f"], "two"u8, AtomicFile.PrivateMode);
        Assert.Equal("two", File.ReadAllText(temporary["f"]));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(temporary["f"]));
        Assert.False(AtomicFile.TryCreate(temporary["f"], "three"u8, AtomicFile.PrivateMode));
        Assert.Equal("two", File.ReadAllText(temporary["f"]));
        Assert.True(AtomicFile.TryCreate(temporary["g"], "three"u8, AtomicFile.PrivateMode));
        Assert.Throws<DirectoryNotFoundException>(() => AtomicFile.Write(temporary["missing/f"], "x"u8, AtomicFile.PrivateMode));
        Assert.Equal(["f", "g"], Directory.GetFiles(temporary.Path).Select(Path.GetFileName).Order());
    }
}
