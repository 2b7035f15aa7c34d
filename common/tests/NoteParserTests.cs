using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

/// <summary>
/// Tests that the native parser of checkpoints and the parser of Optiks.Tlog follow the same rules (docs/spec/board.md section 2), so that
/// both accept the same notes.
/// </summary>
public sealed class NoteParserTests
{
    private static readonly byte[] Seed = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    // The parts from which the test makes invalid signature lines: separators, several kinds of white space, other lines, and bytes that
    // are not UTF-8.
    private static readonly byte[][] Parts =
    [
        "\n"u8.ToArray(), " "u8.ToArray(), "+"u8.ToArray(), "="u8.ToArray(), "A"u8.ToArray(), "0"u8.ToArray(), "\t"u8.ToArray(),
        "\r"u8.ToArray(), "\u2014 "u8.ToArray(), "\u2014 s AAAAAAA=\n"u8.ToArray(),
        "\u00a0"u8.ToArray(), "\u2028"u8.ToArray(), "\u200b"u8.ToArray(), [0xff], [0x80], [0xe2, 0x80],
    ];

    [Fact]
    public void Both_readers_give_the_verdict_of_the_reference()
    {
        using var document = JsonDocument.Parse(
            File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "board", "notes.json")));
        Assert.True(VerifierKey.TryParse(document.RootElement.GetProperty("log_key").GetString()!, out VerifierKey? key, out _));
        TrustAnchor anchor = Anchor(key);
        var wrong = new List<string>();
        var seen = new HashSet<string>();
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            byte[] note = Convert.FromHexString(vector.GetProperty("note").GetString()!);
            string expected = vector.GetProperty("reason").GetString()!;
            (Reason native, bool managed) = Judge(anchor, note);
            seen.Add(expected);
            if (native.Name() != expected || managed != (expected == "valid"))
            {
                wrong.Add(
                    $"{vector.GetProperty("kind").GetString()}: native {native.Name()}, managed {(managed ? "taken" : "refused")} instead of {expected}");
            }
        }
        Assert.Empty(wrong);
        Assert.Equal(["checkpoint_malformed", "checkpoint_origin", "checkpoint_signature", "valid"], seen.Order());
    }

    [Fact]
    public void Both_readers_agree_on_notes_with_changes_beside_the_signed_text()
    {
        var key = new VerifierKey("example.com/log", SignatureType.Ed25519, Ed25519.PublicKey(Seed));
        TrustAnchor anchor = Anchor(key);
        // The seed is fixed, so each run tests the same notes. Therefore a failure repeats, and the numbers of accepted notes below never
        // change.
        var random = new Random(43);
        var verdicts = new Dictionary<bool, int> { [true] = 0, [false] = 0 };
        for (int i = 0; i < 3000; i++)
        {
            byte[] text = new Checkpoint(key.Name, (ulong)random.Next(1, 5), default).Encode();
            string line = new NoteSignature(key.Name, key.KeyId, Ed25519.Sign(Seed, text)).ToLine() + "\n";
            byte[] lines = Encoding.UTF8.GetBytes(
                string.Concat(Enumerable.Repeat("\u2014 other AAAAAAA=\n", random.Next(3)).Append(line).OrderBy(_ => random.Next())));
            for (int change = random.Next(3); change > 0; change--)
            {
                int at = random.Next(lines.Length);
                byte[] part = random.Next(4) == 0 ? Encoding.UTF8.GetBytes(line) : Parts[random.Next(Parts.Length)];
                lines = random.Next(2) == 0
                    ? [.. lines[..at], .. part, .. lines[at..]]
                    : [.. lines[..at], .. part, .. lines[Math.Min(at + part.Length, lines.Length)..]];
            }
            byte[] note = [.. text, (byte)'\n', .. lines];

            (Reason native, bool managed) = Judge(anchor, note);

            Assert.True(native == Reason.Valid == managed, $"{Convert.ToHexString(note)}: native {native.Name()}, managed {managed}");
            verdicts[managed]++;
        }
        Assert.True(verdicts.Values.All(count => count > 300), string.Join(", ", verdicts));
    }

    private static TrustAnchor Anchor(VerifierKey key) => TrustAnchor.Create(new Configuration { Origin = key.Name }.Encode(), key);

    private static (Reason Native, bool Managed) Judge(TrustAnchor anchor, byte[] note)
    {
        Reason native = LogVerifier.Checkpoint(anchor, note, out ulong size, out byte[] root);
        bool managed = new CheckpointVerifier(anchor.LogKey, [], Ed25519.Verifier).TryOpen(note, out SignedCheckpoint? opened, out _);
        if (native == Reason.Valid && managed)
        {
            Assert.Equal((size, TreeHash.FromBytes(root)), (opened!.Checkpoint.Size, opened.Checkpoint.Root));
        }
        return (native, managed);
    }
}
