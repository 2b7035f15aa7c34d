using Optiks.Tlog;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Copies a board's folder to a bucket (docs/spec/board.md section 3). An instance is not thread-safe. Many instances, on one machine or
/// several, may copy to the same bucket at the same time.
/// </summary>
/// <remarks>
/// <para>Invariants:</para>
/// <para>1. An object whose key begins with tile/ or audit/ is created and never changed. If the object exists already, this class compares
/// it with the board's file, and reports any difference as a conflict.</para>
/// <para>2. The checkpoint is written after everything that it commits to has been stored. The write replaces only the old checkpoint that
/// was compared with the new one. If two writers replace the checkpoint at the same time, one of them therefore fails and starts again. The
/// new checkpoint is of the same log, and it has a larger size, or the same size and more cosignatures.</para>
/// <para>3. Each step can be repeated. After a crash at any point, the bucket has the new checkpoint, or it has the old checkpoint and
/// perhaps some objects that only the new checkpoint needs.</para>
/// </remarks>
internal sealed class BucketBoard
{
    /// <summary>The object key of the checkpoint in the bucket.</summary>
    public const string CheckpointKey = "checkpoint";

    private const int Attempts = 5;
    private const int Concurrency = 8;

    private readonly string _folder;
    private readonly DirectoryTileReader _local;
    private readonly BoardCosigner _board;
    private readonly CheckpointVerifier _verifier;
    private readonly S3ObjectStore _bucket;

    /// <param name="folder">The board's folder.</param>
    /// <param name="verifier">The verifier of checkpoints, which has the log's public key.</param>
    /// <param name="bucket">The bucket that receives the copy.</param>
    public BucketBoard(string folder, CheckpointVerifier verifier, S3ObjectStore bucket)
    {
        _folder = folder;
        _local = new DirectoryTileReader(folder);
        _board = new BoardCosigner(folder, verifier);
        _verifier = verifier;
        _bucket = bucket;
    }

    /// <summary>
    /// Whether a probe has shown that the bucket honors conditional writes. The first call of <see cref="PublishAsync"/> runs the probe.
    /// </summary>
    public bool IsProbed { get; set; }

    /// <summary>
    /// Copies to the bucket the board's checkpoint and everything that the checkpoint commits to. Returns the size of the checkpoint that
    /// the bucket then has, or 0 if the board has no checkpoint yet. Throws <see cref="ObjectStoreException"/> if the bucket gives no
    /// usable answer, and <see cref="BucketConflictException"/> if the bucket contains something other than the board. Throws other
    /// exceptions if the board cannot be read.
    /// </summary>
    public async Task<ulong> PublishAsync(CancellationToken cancellationToken)
    {
        if (!IsProbed)
        {
            await BucketProbe.RunAsync(_bucket, cancellationToken);
            IsProbed = true;
        }
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            // The bucket's checkpoint is read before the board's. Every checkpoint is on the board before it is in the bucket, so the
            // board's checkpoint must be at least as large as the bucket's. If it is smaller, the board is an older copy that somebody
            // restored.
            StoredObject? stored = await _bucket.GetAsync(CheckpointKey, SignedNote.MaxBytes, cancellationToken);
            if (await _board.ReadAsync(cancellationToken) is not { } local)
            {
                return 0;
            }
            SignedCheckpoint? present = stored is null ? null : Open(stored);
            byte[] note = local.Note.Encode();
            if (await IsThereAsync(local, present, cancellationToken))
            {
                await DropPartialsAsync(local.Checkpoint.Size, local.Checkpoint.Size, cancellationToken);
                return local.Checkpoint.Size;
            }
            ulong size = present?.Checkpoint.Size ?? 0;
            if (!await TryUploadAsync(size, local.Checkpoint.Size, cancellationToken))
            {
                continue;
            }
            FailPoints.Hit(FailPoints.BucketObjects);
            bool isWritten = stored is null
                ? await _bucket.CreateAsync(CheckpointKey, note, ObjectKind.Checkpoint, cancellationToken)
                : await _bucket.ReplaceAsync(CheckpointKey, stored.Tag, note, ObjectKind.Checkpoint, cancellationToken);
            if (!isWritten)
            {
                continue;
            }
            FailPoints.Hit(FailPoints.BucketCheckpoint);
            // The task does not trust the bucket's reply to a write, so it reads the checkpoint back.
            if ((await _bucket.GetAsync(CheckpointKey, SignedNote.MaxBytes, cancellationToken)) is not { } written
                || Open(written).Checkpoint.Size < local.Checkpoint.Size)
            {
                throw new BucketConflictException(
                    $"The bucket does not return the checkpoint of size {local.Checkpoint.Size} that it has just stored.");
            }
            await DropPartialsAsync(size, local.Checkpoint.Size, cancellationToken);
            return local.Checkpoint.Size;
        }
        throw new ObjectStoreException(
            "The bucket's checkpoint changes during each attempt to replace it, or its entity tag is never the one that the bucket returned.");
    }

    private SignedCheckpoint Open(StoredObject stored) =>
        _verifier.TryOpen(stored.Octets, out SignedCheckpoint? opened, out TlogError error)
        ? opened
        : throw new BucketConflictException(
            $"The bucket's checkpoint is not from this log ({error}): name another bucket or prefix, or find out who wrote it.");

    // Returns whether the bucket's checkpoint has the size of the board's checkpoint and all of its signatures. Throws if the bucket's
    // checkpoint is larger than the board's, or contradicts it.
    private async Task<bool> IsThereAsync(SignedCheckpoint local, SignedCheckpoint? present, CancellationToken cancellationToken)
    {
        if (present is null)
        {
            return false;
        }
        (ulong size, ulong before) = (local.Checkpoint.Size, present.Checkpoint.Size);
        if (before > size)
        {
            throw new BucketConflictException(
                $"The bucket's checkpoint has size {before}, the board's {size}: an older copy of the board was put back, or the bucket belongs to another log.");
        }
        TreeHash root = before == size
            ? local.Checkpoint.Root
            : await ConsistencyProof.OldRootAsync(new HashReader(_local, size, local.Checkpoint.Root), before, cancellationToken);
        if (root != present.Checkpoint.Root)
        {
            throw new BucketConflictException(
                $"The bucket's checkpoint of size {before} and the board's of size {size} contradict each other: the log signed two histories. Keep both.");
        }
        return before == size && local.Note.Signatures.All(line => present.Note.Signatures.Any(other => other.ToLine() == line.ToLine()));
    }

    // Returns false if the board changed during the upload, so that some of the board's files no longer exist.
    private async Task<bool> TryUploadAsync(ulong from, ulong to, CancellationToken cancellationToken)
    {
        IEnumerable<(string Key, ObjectKind Kind)> objects = TileLayout.Added(from, to).Select(tile => ($"{tile}", ObjectKind.Tile));
        bool isWhole = true;
        await Parallel.ForEachAsync(
            objects.Concat(AuditProofs(Math.Max(from, 1), to)),
            new ParallelOptions { MaxDegreeOfParallelism = Concurrency, CancellationToken = cancellationToken },
            async (one, cancel) =>
            {
                byte[] octets;
                try
                {
                    octets = await File.ReadAllBytesAsync(Path.Combine(_folder, one.Key), cancel);
                }
                catch (Exception e) when ((e is FileNotFoundException or DirectoryNotFoundException)
                    && one.Key.Contains(".p/", StringComparison.Ordinal))
                {
                    // The board no longer has this file, because the file was a partial tile and the tile has become full.
                    Volatile.Write(ref isWhole, false);
                    return;
                }
                await StoreAsync(one.Key, octets, one.Kind, cancel);
            });
        return Volatile.Read(ref isWhole);
    }

    private static IEnumerable<(string Key, ObjectKind Kind)> AuditProofs(ulong first, ulong end)
    {
        for (ulong epoch = first; epoch < end; epoch++)
        {
            yield return (AuditProofPath.ForEpoch(epoch), ObjectKind.AuditProof);
        }
    }

    private async Task StoreAsync(string key, byte[] octets, ObjectKind kind, CancellationToken cancellationToken)
    {
        if (!await _bucket.CreateAsync(key, octets, kind, cancellationToken))
        {
            // The object exists already: this task stored it before a crash, or another task has stored it.
            StoredObject? present = await _bucket.GetAsync(key, octets.Length, cancellationToken);
            if (present is null)
            {
                throw new ObjectStoreException($"The bucket says that it has {key}, but does not return it.");
            }
            if (!present.Octets.AsSpan().SequenceEqual(octets))
            {
                throw new BucketConflictException(
                    $"The bucket has another {key} than the board. Published files never change: find out who wrote it, and keep both.");
            }
        }
        FailPoints.Hit(FailPoints.BucketObject);
    }

    // Deletes from the bucket each partial tile whose full tile is covered by the new checkpoint. A client that still uses an older
    // checkpoint reads the full tile instead.
    private async Task DropPartialsAsync(ulong from, ulong to, CancellationToken cancellationToken)
    {
        for (int level = 0; TileLayout.NumHashes(to, level) / TilePath.FullWidth is ulong full and > 0; level++)
        {
            // The loop begins with the last tile that was full before this copy, because a crash may have left that tile's partial tiles.
            // If the bucket had no checkpoint, the loop handles only the last full tile.
            ulong first = from == 0 ? full : Math.Min(TileLayout.NumHashes(from, level) / TilePath.FullWidth, full);
            for (ulong index = first > 0 ? first - 1 : 0; index < full; index++)
            {
                string[] folders = level == 0
                    ? [TilePath.Hashes(0, index).PartialFolder(), TilePath.Entries(index).PartialFolder()]
                    : [TilePath.Hashes(level, index).PartialFolder()];
                foreach (string key in (await Task.WhenAll(
                    folders.Select(folder => _bucket.ListAsync($"{folder}/", cancellationToken)))).SelectMany(keys => keys))
                {
                    await _bucket.DeleteAsync(key, cancellationToken);
                }
            }
        }
    }
}
