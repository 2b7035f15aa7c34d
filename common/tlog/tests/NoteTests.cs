using System.Text;

namespace Optiks.Tlog.Tests;

/// <summary>Tests limits of notes, and decisions about notes, that the test vectors do not cover.</summary>
public sealed class NoteTests
{
    private static readonly BigIntegerEd25519 Ed25519 = new();
    private static readonly SeedSigner Witness = SeedSigner.From(Vectors.Keys.GetProperty("witnesses")[0], SignatureType.CosignatureV1);
    private static readonly CancellationToken Cancellation = CancellationToken.None;

    [Theory]
    [InlineData(SignedNote.MaxBytes, TlogError.None)]
    [InlineData(SignedNote.MaxBytes + 1, TlogError.TooLarge)]
    public void Size_of_a_note_is_capped(int length, TlogError expected)
    {
        byte[] tail = "\n\n— a AAAAAAA=\n"u8.ToArray();
        byte[] note = [.. Enumerable.Repeat((byte)'x', length - tail.Length), .. tail];

        Assert.Equal(expected == TlogError.None, SignedNote.TryParse(note, out _, out TlogError error));
        Assert.Equal(expected, error);
    }

    [Theory]
    [InlineData(1, TlogError.None)]
    [InlineData(16, TlogError.None)]
    [InlineData(64, TlogError.None)]
    [InlineData(65, TlogError.TooManySignatures)]
    public void Number_of_signatures_is_capped(int number, TlogError expected)
    {
        string note = "text\n\n" + string.Concat(Enumerable.Range(0, number).Select(i => $"— key-{i} AAAAAAA=\n"));

        Assert.Equal(expected == TlogError.None, SignedNote.TryParse(Encoding.UTF8.GetBytes(note), out _, out TlogError error));
        Assert.Equal(expected, error);
    }

    [Fact]
    public async Task Extension_line_is_refused_unless_asked_for()
    {
        byte[] body = [.. new Checkpoint(SeedSigner.Log.Key.Name, 1, default).Encode(), .. "an extension\n"u8];
        byte[] note = (await SignedNote.SignAsync(body, SeedSigner.Log, Cancellation)).Encode();

        Assert.True(new CheckpointVerifier(Vectors.LogKey, [], Ed25519, acceptExtensionLines: true).TryOpen(note, out _, out _));
        Assert.False(new CheckpointVerifier(Vectors.LogKey, [], Ed25519).TryOpen(note, out _, out TlogError error));
        Assert.Equal(TlogError.ExtensionLineRefused, error);
    }

    [Fact]
    public async Task Signed_checkpoint_is_the_one_of_the_vectors()
    {
        var checkpoint = new Checkpoint("optiks.example/log", 600, Vectors.Roots[600]);

        SignedNote note = await SignedNote.SignAsync(checkpoint.Encode(), SeedSigner.Log, Cancellation);

        Assert.Equal(Vectors.Sizes[10].Text("checkpoint"), Encoding.UTF8.GetString(note.Encode()));
    }

    [Fact]
    public void Keys_that_can_be_confused_are_refused()
    {
        VerifierKey witness = Vectors.Witnesses[0];
        var witnessUnderOtherName = new VerifierKey("other.example/w", SignatureType.CosignatureV1, witness.PublicKey);
        var logAsWitness = new VerifierKey("optiks.example/log", SignatureType.CosignatureV1, Vectors.LogKey.PublicKey);

        Assert.Equal(2, new VerifierSet(Ed25519, Vectors.Witnesses).Keys.Count);
        Assert.Throws<ArgumentException>(() => new VerifierSet(Ed25519, [witness, witness]));
        Assert.Throws<ArgumentException>(() => new VerifierSet(Ed25519, [witness, witnessUnderOtherName]));
        Assert.Throws<ArgumentException>(() => new CheckpointVerifier(Vectors.LogKey, [logAsWitness], Ed25519));
        Assert.Throws<ArgumentException>(() => new CheckpointVerifier(witness, [], Ed25519));
        Assert.Throws<ArgumentException>(() => new CheckpointVerifier(Vectors.LogKey, [SeedSigner.Log.Key], Ed25519));
    }

    [Fact]
    public async Task One_cosigner_counts_once_with_its_latest_time()
    {
        byte[] body = new Checkpoint("optiks.example/log", 1, default).Encode();
        SignedNote note = (await SignedNote.SignAsync(body, SeedSigner.Log, Cancellation)).WithSignatures(
        [
            await Cosignature.SignAsync(body, 7, Witness, Cancellation),
            await Cosignature.SignAsync(body, 9, Witness, Cancellation),
            await Cosignature.SignAsync(body, 8, Witness, Cancellation),
        ]);

        var verifier = new CheckpointVerifier(Vectors.LogKey, Vectors.Witnesses, Ed25519);
        Assert.True(verifier.TryOpen(note.Encode(), out SignedCheckpoint? opened, out _));
        VerifiedSignature cosignature = Assert.Single(opened.Cosignatures);
        Assert.Equal((Witness.Key, 9UL), (cosignature.Key, cosignature.Timestamp));
    }

    [Fact]
    public async Task Keys_sign_only_what_their_type_says()
    {
        byte[] body = new Checkpoint("optiks.example/log", 1, default).Encode();

        await Assert.ThrowsAsync<ArgumentException>(async () => await SignedNote.SignAsync(body, Witness, Cancellation));
        await Assert.ThrowsAsync<ArgumentException>(async () => await Cosignature.SignAsync(body, 1, SeedSigner.Log, Cancellation));
        byte[] text = "text\n"u8.ToArray();
        await Assert.ThrowsAsync<ArgumentException>(async () => await Cosignature.SignAsync(text, 1, Witness, Cancellation));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            async () => await Cosignature.SignAsync(body, 1UL << 63, Witness, Cancellation));
        Assert.NotNull(await Cosignature.SignAsync(body, (1UL << 63) - 1, Witness, Cancellation));
    }

    [Fact]
    public void Checkpoints_that_would_not_open_cannot_be_made()
    {
        Assert.Throws<ArgumentException>(() => new Checkpoint("", 1, default));
        Assert.Throws<ArgumentException>(() => new Checkpoint("a b", 1, default));
        Assert.Throws<ArgumentException>(() => new Checkpoint("a\nb", 1, default));
        Assert.Throws<ArgumentException>(() => new Checkpoint("a", 0, default));
        Assert.Equal(1UL, new Checkpoint("a", 1, default).Size);
    }
}
