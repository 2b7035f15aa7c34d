using System.Text;
using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class CosignatureTests
{
    private static readonly BigIntegerEd25519 Ed25519 = new();
    private static readonly VerifierKey Auditor = Vectors.Key(Vectors.Keys.GetProperty("auditor").Text("vkey"));
    private static readonly CheckpointVerifier Verifier =
        new(Vectors.LogKey, [.. Vectors.Witnesses, Auditor], Ed25519, acceptExtensionLines: true);

    // The expected result for each note; `None` means that the note is accepted.
    private static readonly Dictionary<string, TlogError> Expected = new()
    {
        ["other-timestamp"] = TlogError.BadSignature,
        ["little-endian-timestamp"] = TlogError.BadSignature,
        ["no-timestamp"] = TlogError.BadSignature,
        ["truncated"] = TlogError.BadSignature,
        ["one-byte-too-long"] = TlogError.BadSignature,
        ["plain-note-signature"] = TlogError.BadSignature,
        ["no-header-line"] = TlogError.BadSignature,
        ["leading-zero-time"] = TlogError.BadSignature,
        ["blank-line-in-message"] = TlogError.BadSignature,
        ["message-without-final-newline"] = TlogError.BadSignature,
        ["message-with-log-signature"] = TlogError.BadSignature,
        ["milliseconds"] = TlogError.None,
        ["timestamp-2-63"] = TlogError.BadTimestamp,
        ["timestamp-max"] = TlogError.BadTimestamp,
        ["three-lines-only-with-extension"] = TlogError.BadSignature,
        ["other-witness-key"] = TlogError.BadSignature,
        ["key-id-of-type-0x01"] = TlogError.None,
        ["other-name"] = TlogError.None,
        ["other-size"] = TlogError.BadSignature,
        ["other-origin"] = TlogError.BadSignature,
    };

    public static TheoryData<string> ValidIds => [.. Valid().Select(vector => vector.Text("id"))];

    public static TheoryData<string> InvalidIds => [.. Invalid().Select(vector => vector.Text("id"))];

    [Fact]
    public void All_vectors_are_there()
    {
        Assert.Equal(27, Valid().Select(vector => vector.Text("id")).Distinct().Count());
        Assert.Equal(Expected.Keys.Order(), Invalid().Select(vector => vector.Text("id")).Order());
    }

    [Theory]
    [MemberData(nameof(ValidIds))]
    public async Task Valid_cosignature_is_made_and_verified_byte_for_byte(string id)
    {
        JsonElement vector = Valid().Single(v => v.Text("id") == id);
        ulong timestamp = vector.GetProperty("timestamp").GetUInt64();
        byte[] body = Encoding.UTF8.GetBytes(vector.Text("checkpoint_body"));
        VerifierKey key = Vectors.Key(vector.Text("vkey"));

        Assert.Equal(vector.Text("signed_message_hex"), Convert.ToHexStringLower(Cosignature.BuildMessage(timestamp, body)));
        NoteSignature made = await Cosignature.SignAsync(body, timestamp, Signer(key), CancellationToken.None);
        string line = vector.Text("line");
        Assert.Equal(line, made.ToLine() + "\n");

        Assert.True(NoteSignature.TryParseLine(Encoding.UTF8.GetBytes(line[..^1]), out NoteSignature? parsed, out _));
        Assert.Equal(TlogError.None, Cosignature.Verify(Ed25519, key, body, parsed, out ulong verifiedTime));
        Assert.Equal(timestamp, verifiedTime);
        Assert.Equal(TlogError.BadSignature, Cosignature.Verify(Ed25519, key, [.. body, (byte)'\n'], parsed, out _));

        Assert.Equal(
            vector.Text("checkpoint_body").Split('\n')[1] == "0" ? TlogError.EmptyTree : TlogError.None,
            Verifier.TryOpen(Encoding.UTF8.GetBytes(vector.Text("note")), out SignedCheckpoint? opened, out TlogError error)
                ? TlogError.None
                : error);
        if (opened is null)
        {
            return;
        }
        VerifiedSignature cosignature = Assert.Single(opened.Cosignatures);
        Assert.Equal((key, timestamp), (cosignature.Key, cosignature.Timestamp));
    }

    [Theory]
    [MemberData(nameof(InvalidIds))]
    public void Invalid_cosignature_is_refused_or_ignored(string id)
    {
        JsonElement vector = Invalid().Single(v => v.Text("id") == id);

        bool opened = Verifier.TryOpen(Encoding.UTF8.GetBytes(vector.Text("note")), out SignedCheckpoint? checkpoint, out TlogError error);

        Assert.Equal(Expected[id], error);
        Assert.Equal(Expected[id] == TlogError.None, opened);
        if (!opened)
        {
            Assert.StartsWith("reject", vector.Text("spec_expectation"), StringComparison.Ordinal);
        }
        else if (id == "milliseconds")
        {
            // The cosignature is valid, but its time is ahead of the caller's clock.
            ulong timestamp = Assert.Single(checkpoint!.Cosignatures).Timestamp!.Value;
            Assert.True(Cosignature.IsAhead(timestamp, DateTimeOffset.FromUnixTimeSeconds(1767312000), TimeSpan.FromDays(365)));
        }
        else
        {
            Assert.Empty(checkpoint!.Cosignatures);
        }
    }

    [Theory]
    [InlineData(1000, 1000, false)]
    [InlineData(1060, 1000, false)]
    [InlineData(1061, 1000, true)]
    [InlineData(0, 1000, false)]
    [InlineData(long.MaxValue, 1000, true)]
    public void Time_may_be_ahead_by_the_tolerance(ulong timestamp, long now, bool ahead) =>
        Assert.Equal(ahead, Cosignature.IsAhead(timestamp, DateTimeOffset.FromUnixTimeSeconds(now), TimeSpan.FromSeconds(60)));

    private static JsonElement[] Valid() => [.. Vectors.Cosignatures.GetProperty("valid").EnumerateArray()];

    private static JsonElement[] Invalid() => [.. Vectors.Cosignatures.GetProperty("invalid").EnumerateArray()];

    private static SeedSigner Signer(VerifierKey key)
    {
        JsonElement[] cosigners = [.. Vectors.Keys.GetProperty("witnesses").EnumerateArray(), Vectors.Keys.GetProperty("auditor")];
        return SeedSigner.From(cosigners.Single(cosigner => cosigner.Text("name") == key.Name), SignatureType.CosignatureV1);
    }
}
