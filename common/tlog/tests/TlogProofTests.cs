using System.Text;
using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class TlogProofTests
{
    private static readonly CheckpointVerifier Verifier = new(Vectors.LogKey, Vectors.Witnesses, new BigIntegerEd25519());

    private static readonly Dictionary<string, TlogError> Expected = new()
    {
        ["wrong-header"] = TlogError.BadHeader,
        ["no-index"] = TlogError.BadIndex,
        ["index-leading-zero"] = TlogError.BadIndex,
        ["index-negative"] = TlogError.BadIndex,
        ["other-index"] = TlogError.RootMismatch,
        ["index-beyond-size"] = TlogError.IndexOutOfRange,
        ["hash-missing"] = TlogError.ProofLength,
        ["hash-31-bytes"] = TlogError.BadHash,
        ["hash-bad-base64"] = TlogError.BadHash,
        ["hash-bit-flip"] = TlogError.RootMismatch,
        ["extra-after-index"] = TlogError.BadHash,
        ["two-extra-lines"] = TlogError.BadIndex,
        ["no-blank-line"] = TlogError.BadHash,
        ["no-checkpoint"] = TlogError.MissingFinalNewline,
        ["checkpoint-of-other-size"] = TlogError.RootMismatch,
        ["checkpoint-signature-bad"] = TlogError.NoKnownSignature,
        ["crlf"] = TlogError.ControlCharacter,
        ["missing-final-newline"] = TlogError.MissingFinalNewline,
    };

    [Fact]
    public void Valid_files_verify_and_encode_to_themselves()
    {
        JsonElement[] vectors = [.. Vectors.Proofs.GetProperty("vectors").EnumerateArray()];
        Assert.Equal((10, 10), (vectors.Length, Directory.GetFiles(Path.Combine(Vectors.Folder, "tlog-proof")).Length));
        int numExtra = 0;
        foreach (JsonElement vector in vectors)
        {
            byte[] file = File.ReadAllBytes(Path.Combine(Vectors.Folder, "tlog-proof", vector.Text("id") + ".tlog-proof"));
            Assert.Equal(vector.Text("file"), Encoding.UTF8.GetString(file));

            Assert.True(TlogProof.TryParse(file, out TlogProof? proof, out _));
            Assert.Equal(file, proof.Encode());
            ulong index = vector.GetProperty("index").GetUInt64();
            Assert.Equal(index, proof.Index);
            numExtra += proof.Extra is null ? 0 : 1;

            Assert.Equal(TlogError.None, proof.Verify(Verifier, Vectors.Entries[(int)index], out SignedCheckpoint? opened));
            Assert.Equal(vector.GetProperty("size").GetUInt64(), opened!.Checkpoint.Size);
            Assert.Equal(2, opened.Cosignatures.Count);
            Assert.NotEqual(TlogError.None, proof.Verify(Verifier, Vectors.Entries[((int)index + 1) % 600], out opened));
            Assert.Null(opened);
        }
        Assert.Equal(3, numExtra);
    }

    [Fact]
    public void Invalid_files_are_refused_for_their_reason()
    {
        JsonElement[] vectors = [.. Vectors.Proofs.GetProperty("invalid").EnumerateArray()];
        Assert.Equal(Expected.Keys.Order(), vectors.Select(vector => vector.Text("id")).Order());
        foreach (JsonElement vector in vectors)
        {
            byte[] entry = Vectors.Entries[vector.GetProperty("index").GetInt32()];
            if (TlogProof.TryParse(Encoding.UTF8.GetBytes(vector.Text("file")), out TlogProof? proof, out TlogError error))
            {
                error = proof.Verify(Verifier, entry, out SignedCheckpoint? opened);
                Assert.Null(opened);
            }
            Assert.Equal((vector.Text("id"), Expected[vector.Text("id")]), (vector.Text("id"), error));
        }
    }

    [Theory]
    [InlineData(64, TlogError.None)]
    [InlineData(65, TlogError.ProofLength)]
    public void Number_of_hashes_is_capped(int number, TlogError expected)
    {
        string note = Vectors.Sizes[1].Text("checkpoint");
        string file = $"c2sp.org/tlog-proof@v1\nindex 0\n{string.Concat(Enumerable.Repeat(Rfc6962.EmptyRoot + "\n", number))}\n{note}";

        Assert.Equal(expected == TlogError.None, TlogProof.TryParse(Encoding.UTF8.GetBytes(file), out _, out TlogError error));
        Assert.Equal(expected, error);
    }
}
