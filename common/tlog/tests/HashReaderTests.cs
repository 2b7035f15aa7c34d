using System.Net;
using System.Text;

namespace Optiks.Tlog.Tests;

/// <summary>Tests a client that has a verified checkpoint and reads tiles from a server that may lie.</summary>
public sealed class HashReaderTests
{
    private static readonly CancellationToken Cancellation = CancellationToken.None;
    private static readonly LeafHashReader Leaves = new(Vectors.Entries);

    // The files of a log of size 600, which are bundles 0 to 2, and tiles 0/0 to 0/2 and 1/0.
    public static TheoryData<string> FilesOf600 => [.. TileLayout.All(600).Select(path => path.ToString())];

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(513)]
    [InlineData(600)]
    public async Task Tiles_alone_prove_entries_inclusion_and_consistency(int size)
    {
        HashReader reader = Reader(new DirectoryTileReader(Vectors.TreeFolder), size);
        foreach (int index in new[] { 0, size / 2, size - 1 })
        {
            ReadOnlyMemory<byte> entry = await reader.ReadEntryAsync((ulong)index, Cancellation);
            Assert.Equal(Vectors.Entries[index], entry.ToArray());

            IReadOnlyList<TreeHash> proof = await InclusionProof.MakeAsync(reader, (ulong)index, (ulong)size, Cancellation);
            Assert.Equal(await InclusionProof.MakeAsync(Leaves, (ulong)index, (ulong)size, Cancellation), proof);
            TlogError error = InclusionProof.Verify(Rfc6962.LeafHash(entry.Span), (ulong)index, (ulong)size, Vectors.Roots[size], proof);
            Assert.Equal(TlogError.None, error);
        }
        for (int old = 0; old <= size; old++)
        {
            IReadOnlyList<TreeHash> proof = await ConsistencyProof.MakeAsync(reader, (ulong)old, (ulong)size, Cancellation);
            Assert.Equal(TlogError.None, ConsistencyProof.Verify((ulong)old, Vectors.Roots[old], (ulong)size, Vectors.Roots[size], proof));
        }
    }

    [Fact]
    public async Task Every_entry_comes_in_bundles()
    {
        HashReader reader = Reader(new DirectoryTileReader(Vectors.TreeFolder), 600);
        var entries = new List<byte[]>();
        for (ulong bundle = 0; bundle < 3; bundle++)
        {
            entries.AddRange((await reader.ReadBundleAsync(bundle, Cancellation)).Select(entry => entry.ToArray()));
        }
        Assert.Equal(Vectors.Entries, entries);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => reader.ReadBundleAsync(3, Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => reader.ReadEntryAsync(600, Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await reader.ReadHashesAsync([new TreeNode(9, 1)], Cancellation));
        Assert.Single(await reader.ReadHashesAsync([new TreeNode(9, 0)], Cancellation));
    }

    [Fact]
    public async Task Walk_through_a_large_tree_reads_each_file_once_and_keeps_few()
    {
        const ulong Bundles = 70;
        var board = new LargeBoard(Bundles);
        var reader = new HashReader(board, Bundles * TilePath.FullWidth, board.Root);
        for (ulong bundle = 0; bundle < Bundles; bundle++)
        {
            // The test reads bundles in the order in which a client reads consecutive ranges of entries. Each range begins in the bundle in
            // which the last range ended.
            await reader.ReadBundleAsync(bundle, Cancellation);
            await reader.ReadEntryAsync(bundle == 0 ? 0 : (bundle * TilePath.FullWidth) - 1, Cancellation);
            await reader.ReadBundleAsync(bundle, Cancellation);
        }
        Assert.Equal((2 * (int)Bundles) + 1, board.Requests.Count);
        Assert.Distinct(board.Requests);

        // The reader does not keep files that it read long ago. It reads them and checks them against the root again.
        board.Requests.Clear();
        await reader.ReadBundleAsync(0, Cancellation);
        Assert.Equal(["tile/0/000", "tile/entries/000"], board.Requests);
        board.IsFalse = true;
        InvalidTileException e = await Assert.ThrowsAsync<InvalidTileException>(() => reader.ReadBundleAsync(1, Cancellation));
        Assert.Equal(TlogError.TileMismatch, e.Error);
    }

    [Theory]
    [MemberData(nameof(FilesOf600))]
    public async Task Changed_file_is_found(string path)
    {
        byte[] good = await File.ReadAllBytesAsync(Path.Combine(Vectors.TreeFolder, path), Cancellation);
        byte[] flipped = [.. good];
        flipped[^1] ^= 1;
        TlogError changed = path.Contains("entries", StringComparison.Ordinal) ? TlogError.EntryMismatch : TlogError.TileMismatch;

        await ReadAllAsync(new AlteredTiles(path, good));
        Assert.Equal(changed, (await FailureAsync(path, flipped)).Error);
        Assert.Equal(TlogError.BadTileLength, (await FailureAsync(path, good[..^1])).Error);
        Assert.Equal(TlogError.BadTileLength, (await FailureAsync(path, [.. good, 0])).Error);
        Assert.Equal(TlogError.BadTileLength, (await FailureAsync(path, [])).Error);
        Assert.Equal(TlogError.TileMissing, (await FailureAsync(path, null)).Error);
    }

    [Theory]
    [InlineData("tile/0/000", "tile/0/000.p/255")]
    [InlineData("tile/entries/000", "tile/entries/000.p/255")]
    public async Task Full_path_with_a_partial_tile_is_found(string path, string partial)
    {
        byte[] bytes = await File.ReadAllBytesAsync(Path.Combine(Vectors.TreeFolder, partial), Cancellation);

        Assert.Equal(TlogError.BadTileLength, (await FailureAsync(path, bytes)).Error);
    }

    [Fact]
    public async Task Root_of_another_checkpoint_is_found()
    {
        var tiles = new DirectoryTileReader(Vectors.TreeFolder);
        var reader = new HashReader(tiles, 600, Vectors.Roots[599]);

        InvalidTileException e = await Assert.ThrowsAsync<InvalidTileException>(() => reader.ReadEntryAsync(0, Cancellation));
        Assert.Equal((TlogError.TileMismatch, "tile/1/000.p/2"), (e.Error, e.Path.ToString()));
        Assert.Throws<ArgumentException>(() => new HashReader(tiles, 0, Vectors.Roots[1]));
    }

    [Fact]
    public async Task Dropped_partial_tiles_are_cut_from_full_ones()
    {
        // The server has the files of a log of size 256, and no longer the partial files of size 255.
        string[] partials = ["tile/0/000.p/255", "tile/entries/000.p/255"];
        var tiles = new AlteredTiles(partials);

        HashReader reader = Reader(tiles, 255);
        Assert.Equal(Vectors.Entries[254], (await reader.ReadEntryAsync(254, Cancellation)).ToArray());
        Assert.All(partials, path => Assert.Contains(path, tiles.Requests));
        Assert.Contains("tile/entries/000", tiles.Requests);
    }

    [Fact]
    public async Task Log_over_http_is_opened_and_followed()
    {
        using var server = new TreeServer();
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/board"));

        byte[]? note = await board.ReadCheckpointAsync(Cancellation);
        Assert.True(new CheckpointVerifier(Vectors.LogKey, [], new BigIntegerEd25519()).TryOpen(note, out SignedCheckpoint? opened, out _));
        var reader = new HashReader(board, opened.Checkpoint.Size, opened.Checkpoint.Root);
        Assert.Equal(Vectors.Entries[599], (await reader.ReadEntryAsync(599, Cancellation)).ToArray());
        Assert.Contains("/board/tile/entries/002.p/88", server.Requests);
        Assert.Null(await board.ReadTileAsync(TilePath.Hashes(0, 7), Cancellation));
    }

    [Theory]
    [InlineData(HttpStatusCode.InternalServerError, 1)]
    [InlineData(HttpStatusCode.Forbidden, 1)]
    [InlineData(HttpStatusCode.OK, 8193)]
    public async Task Other_answers_over_http_are_failures(HttpStatusCode status, int length)
    {
        using var server = new TreeServer(status, length);
        using var http = new HttpClient(server, disposeHandler: false);
        var board = new HttpTileReader(http, new Uri("https://log.example/"));

        await Assert.ThrowsAsync<HttpRequestException>(() => board.ReadTileAsync(TilePath.Hashes(0, 0), Cancellation));
    }

    [Fact]
    public async Task Answer_of_a_full_tile_is_not_too_long()
    {
        using var server = new TreeServer(HttpStatusCode.OK, 8192);
        using var http = new HttpClient(server, disposeHandler: false);

        var board = new HttpTileReader(http, new Uri("https://log.example/"));

        Assert.Equal(8192, (await board.ReadTileAsync(TilePath.Hashes(0, 0), Cancellation))!.Length);
    }

    private static HashReader Reader(ITileReader tiles, int size) => new(tiles, (ulong)size, Vectors.Roots[size]);

    private static async Task ReadAllAsync(AlteredTiles tiles)
    {
        HashReader reader = Reader(tiles, 600);
        for (ulong bundle = 0; bundle < 3; bundle++)
        {
            await reader.ReadBundleAsync(bundle, Cancellation);
        }
    }

    private static async Task<InvalidTileException> FailureAsync(string path, byte[]? bytes) =>
        await Assert.ThrowsAsync<InvalidTileException>(() => ReadAllAsync(new AlteredTiles(path, bytes)));

    /// <summary>Serves the tree of the test vectors with one file replaced, or with some files missing.</summary>
    private sealed class AlteredTiles : ITileReader
    {
        private readonly DirectoryTileReader _tree = new(Vectors.TreeFolder);
        private readonly Dictionary<string, byte[]?> _altered;

        public AlteredTiles(string path, byte[]? bytes) => _altered = new() { [path] = bytes };

        public AlteredTiles(IEnumerable<string> missing) => _altered = missing.ToDictionary(path => path, _ => (byte[]?)null);

        public List<string> Requests { get; } = [];

        public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => _tree.ReadCheckpointAsync(cancellationToken);

        public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
        {
            Requests.Add(path.ToString());
            bool isAltered = _altered.TryGetValue(path.ToString(), out byte[]? bytes);
            return isAltered ? Task.FromResult(bytes) : _tree.ReadTileAsync(path, cancellationToken);
        }
    }

    /// <summary>Serves a tree with the given number of full bundles, whose entries are all equal.</summary>
    private sealed class LargeBoard : ITileReader
    {
        private static readonly byte[] s_entry = [1, 2, 3];
        private static readonly byte[] s_bundle =
            [.. Enumerable.Repeat(EntryBundle.EncodeEntry(s_entry), TilePath.FullWidth).SelectMany(octets => octets)];
        private static readonly TreeHash[] s_leaves = [.. Enumerable.Repeat(Rfc6962.LeafHash(s_entry), TilePath.FullWidth)];

        private readonly TreeHash[] _upper;

        public LargeBoard(ulong bundles)
        {
            _upper = [.. Enumerable.Repeat(Rfc6962.CompleteRoot(s_leaves), (int)bundles)];
            var tree = new CompactRange();
            for (ulong i = 0; i < bundles * TilePath.FullWidth; i++)
            {
                tree.Append(s_leaves[0]);
            }
            Root = tree.Root();
        }

        public TreeHash Root { get; }

        public bool IsFalse { get; set; }

        public List<string> Requests { get; } = [];

        public Task<byte[]?> ReadCheckpointAsync(CancellationToken cancellationToken) => Task.FromResult<byte[]?>(null);

        public Task<byte[]?> ReadTileAsync(TilePath path, CancellationToken cancellationToken)
        {
            Requests.Add(path.ToString());
            byte[] octets = path.IsEntries ? s_bundle : [.. (path.Level == 0 ? s_leaves : _upper).SelectMany(hash => hash.ToArray())];
            octets[0] ^= (byte)(IsFalse ? 1 : 0);
            return Task.FromResult<byte[]?>(octets);
        }
    }

    /// <summary>Serves the tree of the test vectors as a static file server does, or returns the same answer to every request.</summary>
    private sealed class TreeServer : HttpMessageHandler
    {
        private readonly HttpStatusCode? _status;
        private readonly int _length;

        public TreeServer()
        {
        }

        public TreeServer(HttpStatusCode status, int length) => (_status, _length) = (status, length);

        public List<string> Requests { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Requests.Add(request.RequestUri!.AbsolutePath);
            if (_status is { } status)
            {
                return Task.FromResult(new HttpResponseMessage(status) { Content = new ByteArrayContent(new byte[_length]) });
            }
            string path = Path.Combine(Vectors.TreeFolder, request.RequestUri.AbsolutePath["/board/".Length..]);
            return Task.FromResult(File.Exists(path)
                ? new HttpResponseMessage(HttpStatusCode.OK) { Content = new ByteArrayContent(File.ReadAllBytes(path)) }
                : new HttpResponseMessage(HttpStatusCode.NotFound) { Content = new StringContent("no such file", Encoding.UTF8) });
        }
    }
}
