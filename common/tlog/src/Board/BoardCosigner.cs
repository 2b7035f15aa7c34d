namespace Optiks.Tlog;

/// <summary>BoardCosigner puts cosignatures under a board's checkpoint, which stays the log's: the same text, the log's signature first. Not thread-safe; the board's lock keeps others away.</summary>
public sealed class BoardCosigner
{
    /// <summary>Most signature lines of a published checkpoint, the log's among them: what every reader of checkpoints takes (C2SP signed-note).</summary>
    public const int MaxLines = 16;

    private readonly string _folder;
    private readonly CheckpointVerifier _verifier;
    private readonly DirectoryTileReader _reader;
    private readonly DurableFiles _files;

    /// <summary>BoardCosigner of an existing folder.</summary>
    /// <param name="folder">The board's folder.</param>
    /// <param name="verifier">Knows the log's key and the cosigners'.</param>
    public BoardCosigner(string folder, CheckpointVerifier verifier)
    {
        _folder = Path.GetFullPath(folder);
        _verifier = verifier;
        _reader = new DirectoryTileReader(_folder);
        _files = new DurableFiles(_folder);
    }

    /// <summary>ReadAsync gives the board's checkpoint with its verified cosignatures; null when there is none. Throws <see cref="BoardConflictException"/> for one that is not the log's.</summary>
    public Task<SignedCheckpoint?> ReadAsync(CancellationToken cancellationToken) => ReadAsync(_reader, _verifier, cancellationToken);

    /// <summary>
    /// ReadSignedAsync gives the newest checkpoint that the log signed: the board's, or a larger one that waits for cosignatures. Null when there is neither. Throws <see cref="BoardConflictException"/> for one
    /// that is not the log's, or two of one size that differ.
    /// </summary>
    public Task<SignedCheckpoint?> ReadSignedAsync(CancellationToken cancellationToken) => ReadSignedAsync(_reader, _verifier, cancellationToken);

    internal static async Task<SignedCheckpoint?> ReadSignedAsync(DirectoryTileReader reader, CheckpointVerifier verifier, CancellationToken cancellationToken)
    {
        // In this order: one that is published in between is found as what waits.
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

    private static async Task<SignedCheckpoint?> ReadAsync(DirectoryTileReader reader, CheckpointVerifier verifier, CancellationToken cancellationToken) =>
        Open(reader, verifier, await reader.ReadCheckpointAsync(cancellationToken).ConfigureAwait(false));

    private static SignedCheckpoint? Open(DirectoryTileReader reader, CheckpointVerifier verifier, byte[]? note) =>
        note is null ? null
            : verifier.TryOpen(note, out SignedCheckpoint? opened, out TlogError error) ? opened
            : throw new BoardConflictException($"The checkpoint of {reader.Folder} is not one of this log: {error}.");

    /// <summary>
    /// AddAsync puts verified cosignatures under the board's checkpoint, in one step. Those that are there stay, but that of a key that has a later one now. Nothing happens when the board has another
    /// checkpoint by now, or nothing would change. Gives the checkpoint that the board has then.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="text">Text of the checkpoint that was cosigned.</param>
    /// <param name="cosignatures">Cosignatures of that text by the verifier's cosigners, verified.</param>
    /// <param name="cancellationToken">Ends the reading; writing is not interrupted.</param>
    public async Task<SignedCheckpoint?> AddAsync(
        BoardLock boardLock, ReadOnlyMemory<byte> text, IReadOnlyCollection<VerifiedSignature> cosignatures, CancellationToken cancellationToken)
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
    /// PublishAsync makes a checkpoint the board's, with the cosignatures that it waited for, in one step, unless the board has one of its size or a larger one. Gives the checkpoint that the board has then.
    /// </summary>
    /// <param name="boardLock">The board's lock, held by the caller.</param>
    /// <param name="checkpoint">Of <see cref="ReadSignedAsync(CancellationToken)"/>: everything that it commits to is durable.</param>
    /// <param name="cosignatures">Cosignatures of its text by the verifier's cosigners, verified; enough of them, which the caller decides.</param>
    /// <param name="cancellationToken">Ends the reading; writing is not interrupted.</param>
    public async Task<SignedCheckpoint?> PublishAsync(
        BoardLock boardLock, SignedCheckpoint checkpoint, IReadOnlyCollection<VerifiedSignature> cosignatures, CancellationToken cancellationToken)
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
