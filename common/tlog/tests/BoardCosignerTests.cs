namespace Optiks.Tlog.Tests;

public sealed class BoardCosignerTests : IDisposable
{
    private static readonly BigIntegerEd25519 Ed25519 = new();
    private static readonly CancellationToken Cancellation = CancellationToken.None;
    private static readonly SeedSigner[] Signers =
        [.. Vectors.Keys.GetProperty("witnesses").EnumerateArray()
            .Select(witness => SeedSigner.From(witness, SignatureType.CosignatureV1))];

    private readonly TemporaryFolder _folder = new();
    private readonly BoardCosigner _cosigner;

    public BoardCosignerTests() =>
        _cosigner = new BoardCosigner(_folder.Path, new CheckpointVerifier(Vectors.LogKey, Vectors.Witnesses, Ed25519));

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Cosignatures_come_under_the_logs_and_stay()
    {
        BoardWriter writer = await PublishAsync(3);
        byte[] text = Text(3);
        SignedCheckpoint? first = await AddAsync(text, await CosignAsync(0, text, 5));
        Assert.Equal([5UL], first!.Cosignatures.Select(one => one.Timestamp!.Value));
        SignedCheckpoint? second = await AddAsync(text, await CosignAsync(1, text, 6));
        Assert.Equal([Vectors.LogKey.Name, Vectors.Witnesses[0].Name, Vectors.Witnesses[1].Name],
            second!.Note.Signatures.Select(one => one.Name));

        // A new cosignature replaces the cosignature of the same key only if the new one has a later time.
        Assert.Equal([6UL, 9],
            (await AddAsync(text, await CosignAsync(0, text, 9)))!.Cosignatures.Select(one => one.Timestamp!.Value).Order().ToArray());
        byte[] before = ReadNote();
        await AddAsync(text, await CosignAsync(0, text, 8));
        Assert.Equal(before, ReadNote());

        // A checkpoint with cosignatures still counts as the log's checkpoint, also for a writer that opens the board anew.
        using (BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!)
        {
            Assert.Equal(BoardPublishResult.AlreadyPublished, await writer.PublishAsync(boardLock, await NoteAsync(3), Cancellation));
        }
        Assert.Equal(before, ReadNote());
        Assert.Equal(3UL, (await BoardWriter.OpenAsync(_folder.Path, Vectors.LogKey, Ed25519, Cancellation)).Size);
        await PublishAsync(4);
        Assert.Empty((await _cosigner.ReadAsync(Cancellation))!.Cosignatures);
    }

    [Fact]
    public async Task What_is_of_another_checkpoint_changes_nothing()
    {
        byte[] text = Text(3);
        Assert.Null(await AddAsync(text, await CosignAsync(0, text, 5)));
        Assert.Empty(_folder.Files());

        await PublishAsync(4);
        byte[] before = ReadNote();
        SignedCheckpoint? present = await AddAsync(text, await CosignAsync(0, text, 5));
        Assert.Equal(4UL, present!.Checkpoint.Size);
        Assert.Equal(before, ReadNote());
    }

    [Fact]
    public async Task What_is_held_back_is_published_with_its_cosignatures_and_never_over_a_larger_one()
    {
        BoardWriter writer = await PublishAsync(3, holdsBack: true);
        Assert.Null(await _cosigner.ReadAsync(Cancellation));
        SignedCheckpoint three = (await _cosigner.ReadSignedAsync(Cancellation))!;
        Assert.Equal(3UL, three.Checkpoint.Size);
        using (BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!)
        {
            Assert.Equal(BoardPublishResult.AlreadyPublished, await writer.PublishAsync(boardLock, await NoteAsync(3), Cancellation));
        }
        Assert.Equal(3UL, (await BoardWriter.OpenAsync(_folder.Path, Vectors.LogKey, Ed25519, Cancellation)).Size);

        await PublishAsync(5, holdsBack: true);
        SignedCheckpoint five = (await _cosigner.ReadSignedAsync(Cancellation))!;
        SignedCheckpoint? published = await ReleaseAsync(five, await CosignAsync(0, Text(5), 7));
        Assert.Equal((5UL, 7UL), (published!.Checkpoint.Size, published.Cosignatures.Single().Timestamp!.Value));
        Assert.Equal(Vectors.LogKey.Name, published.Note.Signatures[0].Name);

        // First the test tries to publish a smaller checkpoint, which comes too late. Then it adds more cosignatures to the published
        // checkpoint.
        byte[] before = ReadNote();
        Assert.Equal(5UL, (await ReleaseAsync(three, await CosignAsync(0, Text(3), 8)))!.Checkpoint.Size);
        Assert.Equal(before, ReadNote());
        Assert.Equal(2, (await ReleaseAsync(five, await CosignAsync(1, Text(5), 9)))!.Cosignatures.Count);

        // A writer continues at the size of the newest signed checkpoint, even if that checkpoint still waits for cosignatures. A writer
        // whose checkpoints need not wait publishes the waiting checkpoint.
        await PublishAsync(6, holdsBack: true);
        Assert.Equal(5UL, (await _cosigner.ReadAsync(Cancellation))!.Checkpoint.Size);
        Assert.Equal(6UL, (await PublishAsync(6)).Size);
        Assert.Equal(6UL, (await _cosigner.ReadAsync(Cancellation))!.Checkpoint.Size);
        await PublishAsync(7);
        Assert.Equal(7UL, (await _cosigner.ReadSignedAsync(Cancellation))!.Checkpoint.Size);
        Assert.Equal(BoardPublishResult.AlreadyPublished, await RepeatAsync(7));
    }

    [Fact]
    public async Task Two_checkpoints_of_one_size_stop_the_writer()
    {
        await PublishAsync(3);
        byte[] other =
            (await SignedNote.SignAsync(
                new Checkpoint(Vectors.LogKey.Name, 3, Vectors.Roots[4]).Encode(), SeedSigner.Log, Cancellation)).Encode();
        await File.WriteAllBytesAsync(Path.Combine(_folder.Path, ".signed"), other, Cancellation);
        await Assert.ThrowsAsync<BoardConflictException>(() => _cosigner.ReadSignedAsync(Cancellation));
        await Assert.ThrowsAsync<BoardConflictException>(() => BoardWriter.OpenAsync(_folder.Path, Vectors.LogKey, Ed25519, Cancellation));
    }

    [Fact]
    public async Task The_lock_must_be_held()
    {
        await PublishAsync(3);
        byte[] text = Text(3);
        VerifiedSignature cosignature = await CosignAsync(0, text, 5);
        BoardLock released = BoardLock.TryAcquire(_folder.Path)!;
        released.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _cosigner.AddAsync(released, text, [cosignature], Cancellation));
    }

    [Fact]
    public async Task A_checkpoint_that_is_not_the_logs_is_refused()
    {
        await File.WriteAllTextAsync(Path.Combine(_folder.Path, "checkpoint"), "not a checkpoint\n", Cancellation);
        await Assert.ThrowsAsync<BoardConflictException>(() => _cosigner.ReadAsync(Cancellation));
    }

    private static byte[] Text(int size) => new Checkpoint(Vectors.LogKey.Name, (ulong)size, Vectors.Roots[size]).Encode();

    private static async Task<byte[]> NoteAsync(int size) =>
        (await SignedNote.SignAsync(Text(size), SeedSigner.Log, Cancellation)).Encode();

    private static async Task<VerifiedSignature> CosignAsync(int witness, byte[] text, ulong time) =>
        new(Vectors.Witnesses[witness], await Cosignature.SignAsync(text, time, Signers[witness], Cancellation), time);

    private byte[] ReadNote() => File.ReadAllBytes(Path.Combine(_folder.Path, "checkpoint"));

    private async Task<SignedCheckpoint?> AddAsync(byte[] text, VerifiedSignature cosignature)
    {
        using BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!;
        return await _cosigner.AddAsync(boardLock, text, [cosignature], Cancellation);
    }

    private async Task<SignedCheckpoint?> ReleaseAsync(SignedCheckpoint signed, VerifiedSignature cosignature)
    {
        using BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!;
        return await _cosigner.PublishAsync(boardLock, signed, [cosignature], Cancellation);
    }

    private async Task<BoardPublishResult> RepeatAsync(int size)
    {
        BoardWriter writer = await BoardWriter.OpenAsync(_folder.Path, Vectors.LogKey, Ed25519, Cancellation, holdsBack: true);
        using BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!;
        return await writer.PublishAsync(boardLock, await NoteAsync(size), Cancellation);
    }

    private async Task<BoardWriter> PublishAsync(int size, bool holdsBack = false)
    {
        BoardWriter writer = await BoardWriter.OpenAsync(_folder.Path, Vectors.LogKey, Ed25519, Cancellation, holdsBack);
        using BoardLock boardLock = BoardLock.TryAcquire(_folder.Path)!;
        await writer.AppendAsync(
            boardLock, writer.Size,
            [.. Vectors.Entries.Skip((int)writer.Size).Take(size - (int)writer.Size).Select(entry => (ReadOnlyMemory<byte>)entry)],
            Cancellation);
        await writer.PublishAsync(boardLock, await NoteAsync(size), Cancellation);
        return writer;
    }
}
