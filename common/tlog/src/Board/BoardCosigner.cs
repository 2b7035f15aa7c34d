namespace Optiks.Tlog;

/// <summary>
/// Adds cosignatures to a board's checkpoint. The checkpoint keeps its text, and the log's signature stays the first signature. Only one
/// thread at a time may use an instance; the board's lock excludes other writers.
/// </summary>
public sealed class BoardCosigner
{
    /// <summary>
    /// The highest number of signature lines in a published checkpoint, including the log's own line. Every reader of checkpoints accepts
    /// this many lines (C2SP signed-note).
    /// </summary>
    public const int MaxLines = 16;

    private readonly string _folder;
    private readonly CheckpointVerifier _verifier;
    private readonly DirectoryTileReader _reader;
    private readonly DurableFiles _files;

    /// <summary>Creates an instance for a board in an existing folder.</summary>
    /// <param name="folder">The board's folder.</param>
    /// <param name="verifier">The verifier with the keys of the log and of the cosigners.</param>
    public BoardCosigner(string folder, CheckpointVerifier verifier)
    {
        _folder = Path.GetFullPath(folder);
        _verifier = verifier;
        _reader = new DirectoryTileReader(_folder);
        _files = new DurableFiles(_folder);
    }

    /// <summary>
    /// Returns the board's checkpoint with its verified cosignatures; null if there is no checkpoint. Throws
    /// <see cref="BoardConflictException"/> if the log did not sign the checkpoint.
    /// </summary>
    public Task<SignedCheckpoint?> ReadAsync(CancellationToken cancellationToken) => ReadAsync(_reader, _verifier, cancellationToken);

    /// <summary>
    /// Returns the newest checkpoint that the log signed: the board's checkpoint, or a larger checkpoint that waits for cosignatures.
    /// Returns null if neither exists. Throws <see cref="BoardConflictException"/> if the log did not sign one of them, or if both have the
    /// same size but differ.
    /// </summary>
    public Task<SignedCheckpoint?> ReadSignedAsync(CancellationToken cancellationToken) =>
        ReadSignedAsync(_reader, _verifier, cancellationToken);

    internal static async Task<SignedCheckpoint?> ReadSignedAsync(
        DirectoryTileReader reader, CheckpointVerifier verifier, CancellationToken cancellationToken)
    {
        // The waiting checkpoint is read before the board's checkpoint. If it is published between the two reads, this call has already
        // read it.
        SignedCheckpoint? waiting = Open(reader, verifier, await reader.ReadSignedAsync(cancellationToken).ConfigureAwait(false));
        SignedCheckpoint? published = await ReadAsync(reader, verifier, cancellationToken).ConfigureAwait(false);
        if (waiting is null || published is null)
        {
            return published ?? waiting;
        }
        return waiting.Checkpoint.Size > published.Checkpoint.Size ? waiting
            : waiting.Checkpoint.Size == published.Checkpoint.Size && !waiting.Note.Text.Span.SequenceEqual(published.Note.Text.Span)
            ? throw new BoardConflictException($"{reader.Folder} has two checkpoints of size {published.Checkpoint.Size}.")
            : published;
    }

    private static async Task<SignedCheckpoint?> ReadAsync(
        DirectoryTileReader reader, CheckpointVerifier verifier, CancellationToken cancellationToken) =>
        Open(reader, verifier, await reader.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false));

    private static SignedCheckpoint? Open(DirectoryTileReader reader, CheckpointVerifier verifier, byte[]? note) =>
        note is null ? null
            : verifier.TryOpen(note, out SignedCheckpoint? opened, out TlogError error) ? opened
            : throw new BoardConflictException($"The checkpoint in {reader.Folder} is not from this log: {error}.");

    /// <summary>
    /// Adds verified cosignatures to the board's checkpoint and replaces its file atomically. An existing cosignature is replaced only by a
    /// later cosignature of the same key. The call does nothing if the board by now has a checkpoint with another text, or if the
    /// checkpoint would not change. Returns the checkpoint that the board has after the call.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="text">The text of the checkpoint that was cosigned.</param>
    /// <param name="cosignatures">The verified cosignatures of this text by the verifier's cosigners.</param>
    /// <param name="cancellationToken">Cancels the reading; writing is not interrupted.</param>
    public async Task<SignedCheckpoint?> AddAsync(
        BoardLock boardLock, ReadOnlyMemory<byte> text, IReadOnlyCollection<VerifiedSignature> cosignatures,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(boardLock);
        ArgumentNullException.ThrowIfNull(cosignatures);
        boardLock.ThrowUnlessHeldFor(_folder);
        SignedCheckpoint? present = await ReadAsync(cancellationToken).ConfigureAwait(false);
        if (present is null || !present.Note.Text.Span.SequenceEqual(text.Span))
        {
            return present;
        }
        var latest = present.Cosignatures.ToDictionary(cosignature => cosignature.Key);
        bool changed = false;
        foreach (VerifiedSignature cosignature in cosignatures)
        {
            if (!latest.TryGetValue(cosignature.Key, out VerifiedSignature? earlier) || earlier.Timestamp < cosignature.Timestamp)
            {
                latest[cosignature.Key] = cosignature;
                changed = true;
            }
        }
        if (!changed || latest.Count >= MaxLines)
        {
            return present;
        }
        Replace(present, latest.Values);
        return await ReadAsync(CancellationToken.None).ConfigureAwait(false);
    }

    /// <summary>
    /// Publishes a waiting checkpoint together with the cosignatures for which it waited, unless the board already has a checkpoint of the
    /// same or a larger size. Returns the checkpoint that the board has after the call.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="checkpoint">A checkpoint from <see cref="ReadSignedAsync(CancellationToken)"/>. All files of the tree that the
    /// checkpoint commits to must be durable.</param>
    /// <param name="cosignatures">Verified cosignatures of the checkpoint's text by the verifier's cosigners. The caller must have decided
    /// that they are enough.</param>
    /// <param name="cancellationToken">Cancels the reading; writing is not interrupted.</param>
    public async Task<SignedCheckpoint?> PublishAsync(
        BoardLock boardLock, SignedCheckpoint checkpoint, IReadOnlyCollection<VerifiedSignature> cosignatures,
        CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(boardLock);
        ArgumentNullException.ThrowIfNull(checkpoint);
        ArgumentNullException.ThrowIfNull(cosignatures);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(cosignatures.Count, MaxLines, nameof(cosignatures));
        boardLock.ThrowUnlessHeldFor(_folder);
        SignedCheckpoint? present = await ReadAsync(cancellationToken).ConfigureAwait(false);
        if (present?.Checkpoint.Size >= checkpoint.Checkpoint.Size)
        {
            return await AddAsync(boardLock, checkpoint.Note.Text, cosignatures, cancellationToken).ConfigureAwait(false);
        }
        Replace(checkpoint, cosignatures);
        return await ReadAsync(CancellationToken.None).ConfigureAwait(false);
    }

    private void Replace(SignedCheckpoint checkpoint, IEnumerable<VerifiedSignature> cosignatures)
    {
        NoteSignature byLog = checkpoint.Note.Signatures.First(signature => signature.IsBy(_verifier.LogKey));
        var note = SignedNote.Create(checkpoint.Note.Text.Span, [byLog, .. cosignatures.Select(cosignature => cosignature.Signature)]);
        _files.Replace(DirectoryTileReader.CheckpointName, note.Encode());
    }
}
