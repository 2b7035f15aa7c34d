using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Fsck;

/// <summary>
/// Compares the board's files with the database: checkpoint, tiles, entries, high-water mark and bundles. The audit proofs are compared by
/// <see cref="TreeCheck"/>.
/// </summary>
internal sealed class BoardCheck
{
    private readonly BoardPaths _paths;
    private readonly TrustAnchor _anchor;
    private readonly FsckReport _report;
    private readonly DirectoryTileReader _reader;
    private readonly Dictionary<ulong, TreeHash> _roots = [];
    private TreeHash? _root;
    private HighWaterMark? _mark;
    private IReadOnlyList<(ulong Epoch, string Path)> _bundles = [];
    private ConsistentRead _read = null!;
    private HeadRow _head = null!;

    private BoardCheck(BoardPaths paths, TrustAnchor anchor, FsckReport report)
    {
        _paths = paths;
        _anchor = anchor;
        _report = report;
        _reader = new DirectoryTileReader(paths.Log);
    }

    /// <summary>
    /// The size of the newest checkpoint on the board, whether it is published or waits for witnesses; 0 if there is no valid checkpoint.
    /// </summary>
    public ulong Size { get; private set; }

    /// <summary>
    /// Reads the board's checkpoints, mark and list of bundles. Callers call this method before the consistent read begins. A running
    /// update-task commits an epoch before it writes any of that epoch's files to the board. So what this method reads on a correct board
    /// is never ahead of the consistent read.
    /// </summary>
    public static async Task<BoardCheck> OpenAsync(
        BoardPaths paths, TrustAnchor anchor, FsckReport report, CancellationToken cancellationToken)
    {
        var board = new BoardCheck(paths, anchor, report);
        if (Directory.Exists(paths.Bundles))
        {
            board._bundles = BoardPaths.BundlesIn(paths.Bundles);
        }
        board._mark = board.ReadMark();
        // The checkpoint that waits for witnesses is read first, so that it is found even if it is published between the two reads.
        board.Take(await board._reader.ReadSignedAsync(cancellationToken), "The checkpoint that waits for witnesses");
        board.Take(await board._reader.ReadCheckpointAsync(cancellationToken), "The board's checkpoint");
        return board;
    }

    /// <summary>
    /// Compares the board with the database. The parameter <paramref name="root"/> is the root of as many records of the database as
    /// <see cref="Size"/> says, or null if the database has fewer records.
    /// </summary>
    public async Task RunAsync(ConsistentRead read, HeadRow head, TreeHash? root, CancellationToken cancellationToken)
    {
        _read = read;
        _head = head;
        await CompareStandingAsync(cancellationToken);
        if (_root is { } boardRoot)
        {
            CompareCheckpoint(root, boardRoot);
            await CompareCheckpointsAsync(boardRoot, cancellationToken);
            await CompareEntriesAsync(boardRoot, cancellationToken);
        }
        await CompareMarkAsync(cancellationToken);
        await CompareBundlesAsync(cancellationToken);
    }

    // Checks that the board has everything that was published before the consistent read. It reads the board again, because an epoch may
    // have been published after the first read of the board.
    private async Task CompareStandingAsync(CancellationToken cancellationToken)
    {
        if (_head.PublishedEpoch is not ulong published)
        {
            return;
        }
        // If the log requires witnesses, a signed checkpoint may still wait for them, so both files are read.
        byte[]?[] notes = [await _reader.ReadSignedAsync(cancellationToken), await _reader.ReadCheckpointAsync(cancellationToken)];
        ulong[] sizes = [.. notes.OfType<byte[]>()
            .Select(note => LogVerifier.Checkpoint(_anchor, note, out ulong size, out _) == Reason.Valid ? size : 0)];
        if (sizes.Length == 0)
        {
            _report.Found($"The board has no checkpoint, but epoch {published} was published.");
        }
        else if (sizes.Max() is ulong size and > 0 && size < published + 1)
        {
            _report.Found($"The board's checkpoint ends at epoch {size - 1}, but epoch {published} was published.");
        }
        if (!File.Exists(_paths.HighWater))
        {
            _report.Found($"The high-water mark {_paths.HighWater} is missing.");
        }
        else if (_mark is not null && ReadMark() is { } mark && mark.Epoch < published)
        {
            _report.Found($"The high-water mark is at epoch {mark.Epoch}, but epoch {published} was published.");
        }
    }

    private HighWaterMark? ReadMark()
    {
        try
        {
            return HighWaterMark.Read(_paths.HighWater);
        }
        catch (InvalidDataException e)
        {
            _report.Found($"{e.Message}");
            return null;
        }
    }

    private void Take(byte[]? note, string what)
    {
        if (note is null)
        {
            return;
        }
        Reason reason = LogVerifier.Checkpoint(_anchor, note, out ulong size, out byte[] octets);
        if (reason != Reason.Valid)
        {
            _report.Found($"{what} is not valid ({reason.Name()}).");
            return;
        }
        var root = TreeHash.FromBytes(octets);
        if (!_roots.TryAdd(size, root) && _roots[size] != root)
        {
            _report.Found($"The board has two checkpoints of size {size}.");
        }
        if (size > Size)
        {
            Size = size;
            _root = root;
        }
    }

    // If the board has two checkpoints, checks that the log of the smaller one is the beginning of the log of the larger one.
    private async Task CompareCheckpointsAsync(TreeHash newest, CancellationToken cancellationToken)
    {
        foreach ((ulong size, TreeHash root) in _roots.Where(checkpoint => checkpoint.Key < Size))
        {
            try
            {
                if (await ConsistencyProof.OldRootAsync(new HashReader(_reader, Size, newest), size, cancellationToken) != root)
                {
                    _report.Found($"The board's checkpoints of sizes {size} and {Size} contradict each other.");
                }
            }
            catch (Exception e) when (e is InvalidTileException or IOException)
            {
                _report.Found($"The board's tiles cannot be used: {e.Message}");
            }
        }
    }

    private void CompareCheckpoint(TreeHash? root, TreeHash boardRoot)
    {
        if (_head.Epoch is null || Size > _head.Epoch + 1)
        {
            _report.Found(
                $"The board's checkpoint covers epoch {Size - 1}, which the database does not have: the database is an older copy, see 'optiks-db import-bundles'.");
        }
        else if (root is { } expected && expected != boardRoot)
        {
            _report.Found($"The board's checkpoint of size {Size} does not match the database's records.");
        }
    }

    private async Task CompareEntriesAsync(TreeHash root, CancellationToken cancellationToken)
    {
        // The reader verifies entry bundles against the tiles, and the tiles against the root.
        var tiles = new HashReader(_reader, Size, root);
        for (ulong bundle = 0; bundle * TilePath.FullWidth < Size; bundle++)
        {
            IReadOnlyList<ReadOnlyMemory<byte>> entries;
            try
            {
                entries = await tiles.ReadBundleAsync(bundle, cancellationToken);
            }
            catch (Exception e) when (e is InvalidTileException or IOException)
            {
                _report.Found($"The board's entries from {bundle * TilePath.FullWidth} on or their tiles cannot be used: {e.Message}");
                continue;
            }
            ulong first = bundle * TilePath.FullWidth;
            var stored = (await _read.ReadEpochsAsync(first, entries.Count, cancellationToken)).ToDictionary(
                epoch => epoch.Row.Epoch, epoch => epoch.Row.Record);
            for (int i = 0; i < entries.Count; i++)
            {
                if (stored.TryGetValue(first + (ulong)i, out ReadOnlyMemory<byte> record) && !record.Span.SequenceEqual(entries[i].Span))
                {
                    _report.Found($"The board's entry {first + (ulong)i} is not the record of that epoch in the database.");
                }
            }
        }
    }

    private async Task CompareMarkAsync(CancellationToken cancellationToken)
    {
        if (_mark is not { } mark)
        {
            return;
        }
        if (_head.Epoch is null || mark.Epoch > _head.Epoch)
        {
            _report.Found(
                $"The high-water mark is at epoch {mark.Epoch}, beyond the head: the database is an older copy, see 'optiks-db import-bundles'.");
        }
        else if (await ReadEpochAsync(mark.Epoch, cancellationToken) is { } row && !mark.Names(row.Epoch, row.RecordHash.Span))
        {
            _report.Found($"The high-water mark names another record for epoch {mark.Epoch} than the database has.");
        }
    }

    private async Task CompareBundlesAsync(CancellationToken cancellationToken)
    {
        // A bundle may be missing now, because a running update-task may delete old bundles during this check.
        foreach ((ulong epoch, string path) in _bundles.Where(bundle => File.Exists(bundle.Path)))
        {
            EpochContent bundle;
            try
            {
                bundle = EpochBundle.Decode(await File.ReadAllBytesAsync(path, cancellationToken));
            }
            catch (Exception e) when (e is StorageCorruptException or IOException)
            {
                _report.Found($"The bundle {path} cannot be used: {e.Message}");
                continue;
            }
            EpochRow? row = await ReadEpochAsync(epoch, cancellationToken);
            if (bundle.Epoch.Epoch != epoch)
            {
                _report.Found($"The bundle {path} is the bundle of epoch {bundle.Epoch.Epoch}.");
            }
            else if (row is null)
            {
                _report.Found($"The database lacks epoch {epoch}, although the board has its bundle: see 'optiks-db import-bundles'.");
            }
            else if (!row.RecordHash.Span.SequenceEqual(bundle.Epoch.RecordHash.Span))
            {
                _report.Found($"The bundle {path} holds another record than the database.");
            }
            else if (!await HasLeavesAsync(bundle, cancellationToken))
            {
                _report.Found($"The bundle {path} holds other leaves than the database.");
            }
        }
    }

    private async Task<EpochRow?> ReadEpochAsync(ulong epoch, CancellationToken cancellationToken) =>
        await _read.ReadEpochsAsync(epoch, 1, cancellationToken) is [{ } found] && found.Row.Epoch == epoch ? found.Row : null;

    // Returns whether the database has the leaves of a bundle. It does not compare values, because values may have been erased from the
    // bundle or from the database since the epoch was made. Other checks compare roots and commitments.
    private async Task<bool> HasLeavesAsync(EpochContent bundle, CancellationToken cancellationToken)
    {
        int ordinal = 0;
        while (true)
        {
            IReadOnlyList<StoredLeaf> page = await _read.ReadLeavesAsync(bundle.Epoch.Epoch, ordinal, 16_384, cancellationToken);
            int count = page.TakeWhile(leaf => leaf.Epoch == bundle.Epoch.Epoch).Count();
            if (count == 0)
            {
                return ordinal == bundle.Leaves.Rows.Length;
            }
            for (int i = 0; i < count; i++, ordinal++)
            {
                if (page[i].Ordinal != ordinal || ordinal >= bundle.Leaves.Rows.Length || !IsSame(page[i], bundle.Leaves, ordinal))
                {
                    return false;
                }
            }
        }
    }

    private static bool IsSame(StoredLeaf leaf, LeafBatch leaves, int index)
    {
        ref readonly LeafRow row = ref leaves.Rows.Span[index];
        return leaf.Structure == row.Structure && leaf.Version == row.Version && leaf.Label.Span.SequenceEqual(row.Label)
            && leaf.Commitment.Span.SequenceEqual(row.Commitment)
            && leaf.Tag.Span.SequenceEqual(row.Tag) && leaf.Origin == leaves.Origins.Span[index];
    }
}
