using System.Text;
using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class BoardWriterTests
{
    private static readonly BigIntegerEd25519 Ed25519 = new();
    private static readonly CancellationToken Cancellation = CancellationToken.None;

    [Fact]
    public async Task Tree_of_ten_sizes_is_written_byte_for_byte()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        JsonElement[] sizes = [.. Vectors.Sizes.EnumerateArray()];
        Assert.Equal([0UL, 1, 2, 3, 255, 256, 257, 511, 512, 513, 600], sizes.Select(size => size.GetProperty("size").GetUInt64()));
        Assert.Equal(Vectors.Hash(sizes[0].Text("root_hex")), writer.Root);
        // A checkpoint of an empty tree is never published (docs/spec/board.md section 2).
        foreach (JsonElement size in sizes.Skip(1))
        {
            int number = size.GetProperty("size").GetInt32();
            await AppendAsync(folder, writer, number);
            Assert.Equal(Vectors.Hash(size.Text("root_hex")), writer.Root);
            Assert.Equal(BoardPublishResult.Published, await PublishAsync(folder, writer, size.Text("checkpoint")));

            string[] present = [.. Kept(size.GetProperty("tessera_tile_files_present").EnumerateArray().Select(path => path.GetString()!))];
            Assert.Equal(present.Append("checkpoint").Order(StringComparer.Ordinal), folder.Files());
            AssertSameBytes(folder, present);
            Assert.Equal(size.Text("checkpoint"), await File.ReadAllTextAsync(Path.Combine(folder.Path, "checkpoint"), Cancellation));

            writer = await OpenAsync(folder);
            Assert.Equal((ulong)number, writer.Size);
        }
        string[] tree = [.. Directory.EnumerateFiles(Vectors.TreeFolder, "*", SearchOption.AllDirectories)];
        Assert.Equal(23, tree.Length);
        Assert.Equal(Kept(tree.Select(file => Path.GetRelativePath(Vectors.TreeFolder, file))).Order(StringComparer.Ordinal),
            folder.Files());
        AssertSameBytes(folder, ["checkpoint"]);
    }

    [Fact]
    public async Task One_batch_writes_the_layout_of_its_size_only()
    {
        using var folder = new TemporaryFolder();
        await AppendAsync(folder, await OpenAsync(folder), 600);

        string[] expected = [.. TileLayout.All(600).Select(path => path.ToString()).Order(StringComparer.Ordinal)];
        Assert.Equal(expected, folder.Files());
        AssertSameBytes(folder, expected);
    }

    [Fact]
    public async Task Append_that_a_crash_cut_off_is_redone()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 255);
        await PublishAsync(folder, writer, Checkpoint(255));
        await AppendAsync(folder, writer, 257);
        string[] complete = [.. folder.Files()];

        // The test tries every set of files that a crash during the second append can leave. In place of each missing file, it leaves a
        // temporary file that is longer.
        string[] second = [.. TileLayout.Added(255, 257).Select(path => path.ToString())];
        Assert.Equal(5, second.Length);
        for (int kept = 0; kept < 1 << second.Length; kept++)
        {
            for (int i = 0; i < second.Length; i++)
            {
                string path = Path.Combine(folder.Path, second[i]);
                if ((kept >> i & 1) == 0)
                {
                    File.Delete(path);
                    await File.WriteAllTextAsync(path + ".tmp", new string('x', 9000), Cancellation);
                }
            }
            writer = await OpenAsync(folder);
            Assert.Equal(255UL, writer.Size);
            await AppendAsync(folder, writer, 257);
            Assert.Equal(complete, folder.Files());
            AssertSameBytes(folder, second);
        }
        await PublishAsync(folder, writer, Checkpoint(257));
        Assert.Equal(257UL, (await OpenAsync(folder)).Size);
    }

    [Fact]
    public async Task Failed_append_counts_for_nothing_and_can_be_repeated()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 2);
        TreeHash root = writer.Root;

        // A folder at the path of the level-0 tile makes the writing of this tile fail. The writer writes the tile after the bundle.
        string inTheWay = Path.Combine(folder.Path, "tile/0/000.p/3");
        Directory.CreateDirectory(inTheWay);
        await Assert.ThrowsAnyAsync<Exception>(() => AppendAsync(folder, writer, 3));
        Assert.Equal((2UL, root), (writer.Size, writer.Root));
        Assert.Contains("tile/entries/000.p/3", folder.Files());

        Directory.Delete(inTheWay);
        await AppendAsync(folder, writer, 3);
        AssertSameBytes(folder, folder.Files());
    }

    [Theory]
    [InlineData("tile/0/000.p/3")]
    [InlineData("tile/entries/000.p/3")]
    public async Task Existing_file_of_other_bytes_is_fatal(string path)
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 2);
        string full = Path.Combine(folder.Path, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        await File.WriteAllTextAsync(full, "other bytes", Cancellation);

        await Assert.ThrowsAsync<BoardConflictException>(() => AppendAsync(folder, writer, 3));
        Assert.Equal("other bytes", await File.ReadAllTextAsync(full, Cancellation));
        Assert.Equal(2UL, writer.Size);

        byte[] good = await File.ReadAllBytesAsync(Path.Combine(Vectors.TreeFolder, path), Cancellation);
        await File.WriteAllBytesAsync(full, [.. good[..^1], (byte)(good[^1] ^ 1)], Cancellation);
        await Assert.ThrowsAsync<BoardConflictException>(() => AppendAsync(folder, writer, 3));

        await File.WriteAllBytesAsync(full, good, Cancellation);
        await AppendAsync(folder, writer, 3);
        Assert.Equal(Vectors.Roots[3], writer.Root);
    }

    [Fact]
    public async Task Second_writer_with_another_history_is_stopped()
    {
        using var folder = new TemporaryFolder();
        BoardWriter first = await OpenAsync(folder);
        BoardWriter second = await OpenAsync(folder);
        await AppendAsync(folder, first, 300);
        using BoardLock boardLock = BoardLock.TryAcquire(folder.Path)!;

        await Assert.ThrowsAsync<BoardConflictException>(
            () => second.AppendAsync(boardLock, 0, [.. Entries(0, 299), new byte[] { 1 }], Cancellation));
        await second.AppendAsync(boardLock, 0, Entries(0, 300), Cancellation);
        Assert.Equal(first.Root, second.Root);
    }

    [Fact]
    public async Task Entries_already_there_are_compared()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 300);
        using BoardLock boardLock = BoardLock.TryAcquire(folder.Path)!;

        // The entries to append are partly on the board already: in the full tile and in the partial tile. The other entries are beyond the
        // board's end.
        await writer.AppendAsync(boardLock, 3, Entries(3, 5), Cancellation);
        await writer.AppendAsync(boardLock, 299, Entries(299, 300), Cancellation);
        Assert.Equal(300UL, writer.Size);
        await writer.AppendAsync(boardLock, 250, Entries(250, 310), Cancellation);
        Assert.Equal((310UL, Vectors.Roots[310]), (writer.Size, writer.Root));

        await Assert.ThrowsAsync<BoardConflictException>(() => writer.AppendAsync(boardLock, 3, Entries(4, 5), Cancellation));
        await Assert.ThrowsAsync<BoardConflictException>(() => writer.AppendAsync(boardLock, 309, Entries(308, 309), Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => writer.AppendAsync(boardLock, 311, Entries(311, 312), Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(() => writer.AppendAsync(boardLock, 310, [new byte[65536]], Cancellation));
        Assert.Equal((310UL, Vectors.Roots[310]), (writer.Size, writer.Root));
    }

    [Fact]
    public async Task Checkpoint_only_grows()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        BoardWriter behind = await OpenAsync(folder);
        await AppendAsync(folder, writer, 3);
        await AppendAsync(folder, behind, 2);

        Assert.Equal(BoardPublishResult.Published, await PublishAsync(folder, writer, Checkpoint(3)));
        Assert.Equal(BoardPublishResult.AlreadyPublished, await PublishAsync(folder, writer, Checkpoint(3)));
        Assert.Equal(BoardPublishResult.Superseded, await PublishAsync(folder, behind, Checkpoint(2)));
        string moreSignatures = Checkpoint(3) + "— other.example AAAAAAA=\n";
        await Assert.ThrowsAsync<BoardConflictException>(() => PublishAsync(folder, writer, moreSignatures));
        Assert.Equal(Checkpoint(3), await File.ReadAllTextAsync(Path.Combine(folder.Path, "checkpoint"), Cancellation));
    }

    [Fact]
    public async Task Checkpoint_must_be_of_the_log_and_of_the_tiles()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 3);
        byte[] forked = new Checkpoint("optiks.example/log", 3, Vectors.Roots[4]).Encode();
        string fork = Encoding.UTF8.GetString((await SignedNote.SignAsync(forked, SeedSigner.Log, Cancellation)).Encode());
        SeedSigner rogue = SeedSigner.From(Vectors.Keys.GetProperty("others")[0], SignatureType.Ed25519);
        byte[] body = new Checkpoint("optiks.example/log", 3, Vectors.Roots[3]).Encode();
        string byRogue = Encoding.UTF8.GetString((await SignedNote.SignAsync(body, rogue, Cancellation)).Encode());

        foreach (string note in new[] { Checkpoint(2), fork, byRogue, "" })
        {
            await Assert.ThrowsAsync<BoardConflictException>(() => PublishAsync(folder, writer, note));
            Assert.DoesNotContain("checkpoint", folder.Files());
        }
        Assert.Equal(BoardPublishResult.Published, await PublishAsync(folder, writer, Checkpoint(3)));
    }

    [Theory]
    [InlineData(256, "tile/1/000.p/1")]
    [InlineData(257, "checkpoint")]
    [InlineData(257, "tile/0/001.p/1")]
    [InlineData(257, "tile/1/000.p/1")]
    [InlineData(257, "tile/entries/001.p/1")]
    public async Task Damaged_board_is_not_opened(int size, string path)
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, size);
        await PublishAsync(folder, writer, Checkpoint(size));
        string full = Path.Combine(folder.Path, path);
        byte[] good = await File.ReadAllBytesAsync(full, Cancellation);
        byte[] damaged = [.. good];
        damaged[^2] ^= 1;

        await File.WriteAllBytesAsync(full, damaged, Cancellation);
        await Assert.ThrowsAsync<BoardConflictException>(() => OpenAsync(folder));
        await File.WriteAllBytesAsync(full, good[..^1], Cancellation);
        await Assert.ThrowsAsync<BoardConflictException>(() => OpenAsync(folder));
        await File.WriteAllBytesAsync(full, good, Cancellation);
        Assert.Equal((ulong)size, (await OpenAsync(folder)).Size);
    }

    [Fact]
    public async Task Board_whose_partial_tiles_were_dropped_still_opens()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 3);
        await PublishAsync(folder, writer, Checkpoint(3));
        await AppendAsync(folder, writer, 256);
        Directory.Delete(Path.Combine(folder.Path, "tile/0/000.p"), recursive: true);
        Directory.Delete(Path.Combine(folder.Path, "tile/entries/000.p"), recursive: true);

        writer = await OpenAsync(folder);
        Assert.Equal((3UL, Vectors.Roots[3]), (writer.Size, writer.Root));
        await AppendAsync(folder, writer, 256);
        Assert.Equal(Vectors.Roots[256], writer.Root);
    }

    [Fact]
    public async Task Partial_tiles_go_once_a_checkpoint_commits_to_the_full_one()
    {
        using var folder = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        await AppendAsync(folder, writer, 3);
        await PublishAsync(folder, writer, Checkpoint(3));
        await AppendAsync(folder, writer, 255);
        await AppendAsync(folder, writer, 256);
        // The partial tiles are not deleted before the next checkpoint, because clients of the published checkpoint still read them.
        Assert.Contains("tile/0/000.p/3", folder.Files());
        await PublishAsync(folder, writer, Checkpoint(256));
        Assert.Equal(["checkpoint", "tile/0/000", "tile/1/000.p/1", "tile/entries/000"], folder.Files().Where(path => path[0] != '.'));

        // After the next checkpoint, the writer also deletes the files that a crash left.
        Directory.CreateDirectory(Path.Combine(folder.Path, "tile/0/000.p"));
        await File.WriteAllTextAsync(Path.Combine(folder.Path, "tile/0/000.p/255"), "", Cancellation);
        await AppendAsync(folder, writer, 257);
        await PublishAsync(folder, writer, Checkpoint(257));
        Assert.DoesNotContain("tile/0/000.p/255", folder.Files());
        Assert.Contains("tile/0/001.p/1", folder.Files());

        // A client that still has the first checkpoint makes that checkpoint's partial tiles from the full tiles.
        var old = new HashReader(new DirectoryTileReader(folder.Path), 3, Vectors.Roots[3]);
        Assert.Equal(Vectors.Entries[2], (await old.ReadEntryAsync(2, Cancellation)).ToArray());
        Assert.Equal(257UL, (await OpenAsync(folder)).Size);
    }

    [Fact]
    public async Task Missing_folder_is_not_made() =>
        await Assert.ThrowsAsync<DirectoryNotFoundException>(
            () => BoardWriter.OpenAsync("/nonexistent/board", Vectors.LogKey, Ed25519, Cancellation));

    [Fact]
    public async Task Lock_is_held_by_one_and_asked_for()
    {
        using var folder = new TemporaryFolder();
        using var other = new TemporaryFolder();
        BoardWriter writer = await OpenAsync(folder);
        BoardLock held = BoardLock.TryAcquire(folder.Path)!;
        Assert.NotNull(held);
        Assert.Null(BoardLock.TryAcquire(folder.Path));
        Task<BoardLock> waiting = BoardLock.AcquireAsync(folder.Path, Cancellation);
        Assert.False(waiting.IsCompleted);

        held.Dispose();
        using (BoardLock next = await waiting)
        {
            await writer.AppendAsync(next, 0, Entries(0, 1), Cancellation);
        }
        await Assert.ThrowsAsync<ObjectDisposedException>(() => writer.AppendAsync(held, 1, Entries(1, 2), Cancellation));
        using BoardLock otherLock = BoardLock.TryAcquire(other.Path)!;
        await Assert.ThrowsAsync<ArgumentException>(() => writer.AppendAsync(otherLock, 1, Entries(1, 2), Cancellation));
    }

    private static Task<BoardWriter> OpenAsync(TemporaryFolder folder) =>
        BoardWriter.OpenAsync(folder.Path, Vectors.LogKey, Ed25519, Cancellation);

    /// <summary>Appends the entries of the test vectors until the board has this size.</summary>
    private static async Task AppendAsync(TemporaryFolder folder, BoardWriter writer, int size)
    {
        using BoardLock boardLock = await BoardLock.AcquireAsync(folder.Path, Cancellation);
        await writer.AppendAsync(boardLock, writer.Size, Entries((int)writer.Size, size), Cancellation);
    }

    private static async Task<BoardPublishResult> PublishAsync(TemporaryFolder folder, BoardWriter writer, string note)
    {
        using BoardLock boardLock = await BoardLock.AcquireAsync(folder.Path, Cancellation);
        return await writer.PublishAsync(boardLock, Encoding.UTF8.GetBytes(note), Cancellation);
    }

    private static ReadOnlyMemory<byte>[] Entries(int start, int end) =>
        [.. Vectors.Entries.Skip(start).Take(end - start).Select(entry => (ReadOnlyMemory<byte>)entry)];

    // Returns those of the paths that the writer keeps. The log in the test vectors keeps partial tiles forever, but the writer deletes a
    // partial tile when the full tile exists.
    private static IEnumerable<string> Kept(IEnumerable<string> paths)
    {
        string[] all = [.. paths];
        return all.Where(path => !path.Contains(".p/", StringComparison.Ordinal)
            || !all.Contains(path[..path.IndexOf(".p/", StringComparison.Ordinal)]));
    }

    private static string Checkpoint(int size) =>
        Vectors.Sizes.EnumerateArray().Single(element => element.GetProperty("size").GetInt32() == size).Text("checkpoint");

    private static void AssertSameBytes(TemporaryFolder folder, IEnumerable<string> paths) =>
        Assert.All(
            paths,
            path => Assert.Equal(
                File.ReadAllBytes(Path.Combine(Vectors.TreeFolder, path)), File.ReadAllBytes(Path.Combine(folder.Path, path))));
}
