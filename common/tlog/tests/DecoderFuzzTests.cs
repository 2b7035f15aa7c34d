using System.Text;
using System.Text.Json;

namespace Optiks.Tlog.Tests;

/// <summary>
/// Tests that decoders never throw, whatever bytes they get. If a decoder accepts an input, encoding the result must give the same bytes,
/// so that signed or hashed data never have two encodings. The seed is fixed, so that a failure repeats.
/// </summary>
public sealed class DecoderFuzzTests
{
    private const int RoundsPerSeed = 40;

    [Fact]
    public void Notes_and_checkpoints()
    {
        int accepted = 0;
        foreach (byte[] bytes in Mutations(Vectors.Notes.GetProperty("vectors").EnumerateArray().Select(v => v.GetProperty("note_base64"))))
        {
            if (SignedNote.TryParse(bytes, out SignedNote? note, out TlogError error))
            {
                accepted++;
                Assert.Equal(bytes, note.Encode());
                if (Checkpoint.TryParse(note.Text.Span, out Checkpoint? checkpoint, out _))
                {
                    Assert.Equal(note.Text.ToArray(), checkpoint.Encode());
                }
            }
            Assert.Equal(note is null, error != TlogError.None);
        }
        Assert.InRange(accepted, 100, (92 * RoundsPerSeed) - 100);
    }

    [Fact]
    public void Proof_files()
    {
        int accepted = 0;
        foreach (byte[] bytes in Mutations(Vectors.Proofs.GetProperty("vectors").EnumerateArray().Select(v => v.GetProperty("file"))))
        {
            if (TlogProof.TryParse(bytes, out TlogProof? proof, out TlogError error))
            {
                accepted++;
                Assert.Equal(bytes, proof.Encode());
            }
            Assert.Equal(proof is null, error != TlogError.None);
        }
        Assert.InRange(accepted, 10, (10 * RoundsPerSeed) - 10);
    }

    [Fact]
    public void Paths_and_keys()
    {
        (int paths, int keys) = (0, 0);
        IEnumerable<JsonElement> vkeys = Vectors.Notes.GetProperty("vkeys").EnumerateArray().Select(v => v.GetProperty("vkey"));
        IEnumerable<byte[]> seeds = TileLayout.All(70000).Select(path => Encoding.UTF8.GetBytes(path.ToString()));
        foreach (byte[] bytes in Mutations(vkeys).Concat(Mutations(seeds)))
        {
            string text = Encoding.UTF8.GetString(bytes);
            if (TilePath.TryParse(text, out TilePath path))
            {
                paths++;
                Assert.Equal(text, path.ToString());
            }
            if (VerifierKey.TryParse(text, out VerifierKey? key, out _))
            {
                keys++;
                Assert.Equal(text, key.ToString());
            }
        }
        Assert.True(paths > 100 && keys > 5, $"{paths} paths, {keys} keys");
    }

    [Fact]
    public void Bundles()
    {
        int accepted = 0;
        byte[] seed = [.. EntryBundle.EncodeEntry("first"u8), .. EntryBundle.EncodeEntry([]), .. EntryBundle.EncodeEntry("third"u8)];
        foreach (byte[] bytes in Mutations(Enumerable.Repeat(seed, 50)))
        {
            if (EntryBundle.TryParse(bytes, 3, out IReadOnlyList<ReadOnlyMemory<byte>>? entries))
            {
                accepted++;
                Assert.Equal(bytes, entries.SelectMany(entry => EntryBundle.EncodeEntry(entry.Span)));
            }
        }
        Assert.InRange(accepted, 50, (50 * RoundsPerSeed) - 50);
    }

    private static IEnumerable<byte[]> Mutations(IEnumerable<JsonElement> seeds) =>
        Mutations(seeds.Select(seed => seed.TryGetBytesFromBase64(out byte[]? bytes) ? bytes : Encoding.UTF8.GetBytes(seed.GetString()!)));

    private static IEnumerable<byte[]> Mutations(IEnumerable<byte[]> seeds)
    {
        // Each of these bytes has a special meaning in at least one of the decoded formats.
        byte[] telling = [.. "\n\n +-=/.0019xpAQ\r\t\0"u8, 0xe2, 0x80, 0x94, 0xff];
        // The seed is fixed, so each run decodes the same inputs and a failure repeats.
        var random = new Random(6962);
        foreach (byte[] seed in seeds)
        {
            for (int round = 0; round < RoundsPerSeed; round++)
            {
                var bytes = new List<byte>(seed);
                for (int edits = random.Next(3); edits > 0 && bytes.Count > 0; edits--)
                {
                    int at = random.Next(bytes.Count);
                    switch (random.Next(4))
                    {
                        case 0:
                            bytes[at] = telling[random.Next(telling.Length)];
                            break;
                        case 1:
                            bytes.Insert(at, telling[random.Next(telling.Length)]);
                            break;
                        case 2:
                            bytes.RemoveAt(at);
                            break;
                        default:
                            bytes[at] ^= (byte)(1 << random.Next(8));
                            break;
                    }
                }
                yield return [.. bytes];
            }
        }
    }
}
