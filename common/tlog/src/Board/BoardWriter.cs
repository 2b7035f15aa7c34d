namespace Optiks.Tlog;

/// <summary>Writes a log's tiles, bundles and checkpoint as files that any static file server can serve. Only one thread at a time may use
/// a writer.</summary>
/// <remarks>
/// <para>Invariants:</para>
/// <para>1. A file below tile/ never changes after it has got its name, and only a full tile gets the name of a full tile. A partial tile
/// is deleted after a checkpoint commits to the full tile. A client with an older checkpoint makes its partial tile from the beginning of
/// the full tile (C2SP tlog-tiles).</para>
/// <para>2. The checkpoint is replaced only after everything that it commits to is durable, and never by a smaller checkpoint or by another
/// checkpoint of the same size. Cosignatures may be added to it (<see cref="BoardCosigner"/>).</para>
/// <para>3. After a crash or a failure, every call can be repeated with the same arguments and results in the same files.</para>
/// <para>4. A writer whose checkpoints wait for cosignatures writes its notes into another file next to the board's checkpoint
/// (<see cref="DirectoryTileReader.ReadSignedAsync"/>). Then only <see cref="BoardCosigner.PublishAsync"/> replaces the board's checkpoint.
/// The larger of the two checkpoints is the newest checkpoint that the log has signed.</para>
/// </remarks>
public sealed class BoardWriter
{
    private readonly string _folder;
    private readonly CheckpointVerifier _verifier;
    private readonly bool _holdsBack;
    private readonly DirectoryTileReader _reader;
    private readonly DurableFiles _files;
    private RightEdge _edge;
    private List<byte> _bundle;

    private BoardWriter(string folder, CheckpointVerifier verifier, bool holdsBack, RightEdge edge, List<byte> bundle)
    {
        _folder = folder;
        _verifier = verifier;
        _holdsBack = holdsBack;
        _reader = new DirectoryTileReader(folder);
        _files = new DurableFiles(folder);
        _edge = edge;
        _bundle = bundle;
    }

    /// <summary>The number of entries whose tiles are written. It is at least the size of the newest checkpoint.</summary>
    public ulong Size => _edge.Size;

    /// <summary>The root of the tree of the first <see cref="Size"/> entries.</summary>
    public TreeHash Root => _edge.Root();

    /// <summary>
    /// Returns the value that <see cref="Root"/> would have after one more entry. The log signs a checkpoint with this root before the
    /// tiles of that entry are written.
    /// </summary>
    public TreeHash RootWith(ReadOnlySpan<byte> entry)
    {
        RightEdge edge = _edge.Clone();
        edge.Append(Rfc6962.LeafHash(entry), (_, _) => { });
        return edge.Root();
    }

    /// <summary>
    /// Reads the state of a board back from its files, at the size of the newest checkpoint that the log signed. The caller must append
    /// later entries again. An existing folder without a checkpoint counts as an empty board, so the caller must compare <see cref="Size"/>
    /// with the number of epochs that it knows.
    /// </summary>
    /// <param name="folder">An existing folder.</param>
    /// <param name="logKey">The log's key, of type 0x01, whose name is the log's origin.</param>
    /// <param name="ed25519">The implementation of Ed25519 with which to verify checkpoints.</param>
    /// <param name="cancellationToken">Cancels the reading.</param>
    /// <param name="holdsBack">Whether checkpoints wait for cosignatures before they are published on the board. The value may differ from
    /// the value at the previous start.</param>
    /// <exception cref="BoardConflictException">The log did not sign the checkpoint, or the tiles or the last bundle contradict the
    /// checkpoint.</exception>
    /// <exception cref="DirectoryNotFoundException">The folder is missing.</exception>
    public static async Task<BoardWriter> OpenAsync(
        string folder, VerifierKey logKey, IEd25519Verifier ed25519, CancellationToken cancellationToken, bool holdsBack = false)
    {
        string full = Path.GetFullPath(folder);
        if (!Directory.Exists(full))
        {
            throw new DirectoryNotFoundException($"The board's folder {full} does not exist.");
        }
        var verifier = new CheckpointVerifier(logKey, [], ed25519);
        var reader = new DirectoryTileReader(full);
        SignedCheckpoint? signed = await BoardCosigner.ReadSignedAsync(reader, verifier, cancellationToken).ConfigureAwait(false);
        if (signed is null)
        {
            return new BoardWriter(full, verifier, holdsBack, new RightEdge(), []);
        }
        Checkpoint checkpoint = signed.Checkpoint;
        try
        {
            var hashes = new HashReader(reader, checkpoint.Size, checkpoint.Root);
            RightEdge edge = await hashes.EdgeAsync(cancellationToken).ConfigureAwait(false);
            List<byte> bundle = await ReadLastBundleAsync(hashes, cancellationToken).ConfigureAwait(false);
            return new BoardWriter(full, verifier, holdsBack, edge, bundle);
        }
        catch (InvalidTileException e)
        {
            throw new BoardConflictException($"The files in {full} do not match its checkpoint (size {checkpoint.Size}).", e);
        }
    }

    /// <summary>
    /// Writes the tiles and bundles that entries add to the board, which are about two small files for one entry. After a failure, none of
    /// the entries counts as appended. If the board already has some of the entries, the call compares them with the entries on the board.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="firstIndex">The index of the first element of <paramref name="entries"/> in the log, at most
    /// <see cref="Size"/>.</param>
    /// <param name="entries">The entries, up to 65,535 bytes each.</param>
    /// <param name="cancellationToken">Cancels the comparison; writing is not interrupted.</param>
    /// <exception cref="BoardConflictException">The board already has different entries at these indexes, or files of these entries with
    /// different bytes.</exception>
    public async Task AppendAsync(
        BoardLock boardLock, ulong firstIndex, IReadOnlyList<ReadOnlyMemory<byte>> entries, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(boardLock);
        ArgumentNullException.ThrowIfNull(entries);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(firstIndex, Size);
        boardLock.ThrowUnlessHeldFor(_folder);
        byte[][] encoded = [.. entries.Select(entry => EntryBundle.EncodeEntry(entry.Span))];

        int next = 0;
        for (; next < entries.Count && firstIndex + (ulong)next < Size; next++)
        {
            await CompareAsync(firstIndex + (ulong)next, entries[next], cancellationToken).ConfigureAwait(false);
        }
        RightEdge edge = _edge.Clone();
        var bundle = new List<byte>(_bundle);
        for (; next < entries.Count; next++)
        {
            bundle.AddRange(encoded[next]);
            edge.Append(Rfc6962.LeafHash(entries[next].Span), WriteHashes);
            if (edge.Size % TilePath.FullWidth == 0)
            {
                WriteFile(TilePath.Entries((edge.Size / TilePath.FullWidth) - 1), [.. bundle]);
                bundle.Clear();
            }
        }
        WritePartials(edge, bundle);
        _edge = edge;
        _bundle = bundle;
    }

    /// <summary>
    /// Publishes a note as the board's checkpoint, or stores it as the checkpoint that waits for cosignatures. The log must have signed the
    /// note, and the note's size must be <see cref="Size"/>.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="note">The checkpoint note, with or without cosignatures.</param>
    /// <param name="cancellationToken">Cancels the reading of the current checkpoint; writing is not interrupted.</param>
    /// <exception cref="BoardConflictException">The note commits to another tree than the appended entries form, or the board's checkpoint
    /// of the same size has another text or lacks one of the note's signatures.</exception>
    public async Task<BoardPublishResult> PublishAsync(BoardLock boardLock, ReadOnlyMemory<byte> note, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(boardLock);
        boardLock.ThrowUnlessHeldFor(_folder);
        Checkpoint checkpoint = Open(_verifier, "the note to publish", note.Span);
        if (checkpoint.Size != Size || checkpoint.Root != Root)
        {
            throw new BoardConflictException(
                $"The note to publish has size {checkpoint.Size} and root {checkpoint.Root}; the tiles have {Size} and {Root}.");
        }
        bool isThere = false;
        byte[]? published = await _reader.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false);
        byte[]? waiting = await _reader.ReadSignedAsync(cancellationToken).ConfigureAwait(false);
        foreach ((byte[]? present, bool counts) in new[] { (published, true), (waiting, _holdsBack) })
        {
            if (present is null)
            {
                continue;
            }
            ulong presentSize = Open(_verifier, _folder, present).Size;
            if (presentSize > checkpoint.Size)
            {
                return BoardPublishResult.Superseded;
            }
            if (presentSize == checkpoint.Size)
            {
                if (!Holds(present, note.Span))
                {
                    throw new BoardConflictException($"{_folder} already has a different checkpoint of size {presentSize}.");
                }
                isThere |= counts;
            }
        }
        string name = _holdsBack ? DirectoryTileReader.SignedName : DirectoryTileReader.CheckpointName;
        if (isThere)
        {
            _files.Sync(name);
        }
        else
        {
            _files.Replace(name, note.Span);
        }
        DropPartials();
        return isThere ? BoardPublishResult.AlreadyPublished : BoardPublishResult.Published;
    }

    // Returns whether `present` has the text and all signatures of `note`. It may have more signatures, because `BoardCosigner` adds
    // cosignatures.
    private static bool Holds(ReadOnlySpan<byte> present, ReadOnlySpan<byte> note) =>
        SignedNote.TryParse(present, out SignedNote? held, out _) && SignedNote.TryParse(note, out SignedNote? wanted, out _)
        && held.Text.Span.SequenceEqual(wanted.Text.Span)
        && wanted.Signatures.All(line => held.Signatures.Any(other => other.ToLine() == line.ToLine()));

    private static Checkpoint Open(CheckpointVerifier verifier, string source, ReadOnlySpan<byte> note) =>
        verifier.TryOpen(note, out SignedCheckpoint? opened, out TlogError error)
            ? opened.Checkpoint
            : throw new BoardConflictException($"The checkpoint of {source} is not from this log: {error}.");

    private static async Task<List<byte>> ReadLastBundleAsync(HashReader hashes, CancellationToken cancellationToken)
    {
        if (hashes.Size % TilePath.FullWidth == 0)
        {
            return [];
        }
        IReadOnlyList<ReadOnlyMemory<byte>> entries =
            await hashes.ReadBundleAsync(hashes.Size / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
        return [.. entries.SelectMany(entry => EntryBundle.EncodeEntry(entry.Span))];
    }

    private async Task CompareAsync(ulong index, ReadOnlyMemory<byte> entry, CancellationToken cancellationToken)
    {
        ulong tile = index / TilePath.FullWidth;
        IReadOnlyList<TreeHash> hashes = tile == Size / TilePath.FullWidth
            ? _edge.Hashes(0)
            : await TileFetch.HashesAsync(_reader, TilePath.Hashes(0, tile), cancellationToken).ConfigureAwait(false);
        if (hashes[(int)(index % TilePath.FullWidth)] != Rfc6962.LeafHash(entry.Span))
        {
            throw new BoardConflictException($"{_folder} already has a different entry {index}.");
        }
    }

    private void WritePartials(RightEdge edge, List<byte> bundle)
    {
        // Writes only the partial tiles that are new at the larger size, because the partial tiles of the upper levels rarely change.
        foreach (TilePath path in TileLayout.AddedPartials(_edge.Size, edge.Size))
        {
            if (path.IsEntries)
            {
                WriteFile(path, [.. bundle]);
            }
            else
            {
                WriteHashes(path, edge.Hashes(path.Level));
            }
        }
    }

    // Deletes the partial forms of each level's last full tile. The writer calls this method after every checkpoint, so if a crash prevents
    // the deletion, the files are deleted after the next checkpoint.
    private void DropPartials()
    {
        for (int level = 0; TileLayout.NumHashes(Size, level) / TilePath.FullWidth is ulong full and > 0; level++)
        {
            if (level == 0)
            {
                _files.RemoveFolder(TilePath.Entries(full - 1).PartialFolder());
            }
            _files.RemoveFolder(TilePath.Hashes(level, full - 1).PartialFolder());
        }
    }

    private void WriteHashes(TilePath path, IReadOnlyList<TreeHash> hashes) =>
        WriteFile(path, [.. hashes.SelectMany(hash => hash.ToArray())]);

    private void WriteFile(TilePath path, byte[] bytes)
    {
        if (!path.IsEntries && bytes.Length != path.Width * TreeHash.Length)
        {
            throw new InvalidOperationException($"{bytes.Length} bytes are the wrong length for {path}.");
        }
        _files.WriteOnce(path.ToString(), bytes);
    }
}
