using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace Optiks.Tlog;

/// <summary>
/// Holds the contents of a file with an inclusion proof (C2SP tlog-proof): an entry's index, the hashes of the proof, and the checkpoint
/// note with the root. The file does not contain the entry. A verifier must not trust any part of the file before <see cref="Verify"/> has
/// accepted it. Immutable.
/// </summary>
public sealed class TlogProof
{
    /// <summary>The greatest length of a file that this class accepts, in bytes. It is enough for the note, 64 hashes, and an extra line as
    /// long as the note.</summary>
    public const int MaxBytes = (2 * SignedNote.MaxBytes) + 4096;

    // The number of hashes in the longest inclusion proof, in a tree of less than 2^64 leaves.
    private const int MaxHashes = 64;

    /// <summary>Makes a proof from its parts. Throws <see cref="ArgumentException"/> if they do not form a valid file.</summary>
    public TlogProof(ulong index, IReadOnlyList<TreeHash> hashes, SignedNote checkpoint, ReadOnlyMemory<byte>? extra = null)
    {
        ArgumentNullException.ThrowIfNull(hashes);
        ArgumentNullException.ThrowIfNull(checkpoint);
        if (hashes.Count > MaxHashes)
        {
            throw new ArgumentException($"A proof may have at most {MaxHashes} hashes.", nameof(hashes));
        }
        Index = index;
        Hashes = [.. hashes];
        Checkpoint = checkpoint;
        Extra = extra;
    }

    /// <summary>The index of the entry.</summary>
    public ulong Index { get; }

    /// <summary>The hashes of the inclusion proof, the leaf's sibling first.</summary>
    public IReadOnlyList<TreeHash> Hashes { get; }

    /// <summary>The checkpoint note, not yet verified.</summary>
    public SignedNote Checkpoint { get; }

    /// <summary>Extra data that an application added to the file. These data are not authenticated.</summary>
    public ReadOnlyMemory<byte>? Extra { get; }

    private static ReadOnlySpan<byte> Header => "c2sp.org/tlog-proof@v1"u8;

    /// <summary>Parses the contents of a proof file.</summary>
    public static bool TryParse(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out TlogProof? proof, out TlogError error)
    {
        proof = null;
        if (bytes.Length > MaxBytes)
        {
            error = TlogError.TooLarge;
            return false;
        }
        error = StrictText.CheckCharacters(bytes);
        if (error != TlogError.None)
        {
            return false;
        }
        ReadOnlySpan<byte> rest = bytes;
        error = ParseHead(ref rest, out byte[]? extra, out ulong index);
        if (error != TlogError.None)
        {
            return false;
        }
        error = ParseHashes(ref rest, out List<TreeHash> hashes);
        if (error != TlogError.None || !SignedNote.TryParse(rest, out SignedNote? note, out error))
        {
            return false;
        }
        proof = new TlogProof(index, hashes, note, extra is null ? null : (ReadOnlyMemory<byte>?)extra);
        return true;
    }

    /// <summary>Returns the contents of the proof file. For a parsed proof, the result equals the parsed bytes.</summary>
    public byte[] Encode()
    {
        var text = new StringBuilder(Encoding.ASCII.GetString(Header)).Append('\n');
        if (Extra is { } extra)
        {
            text.Append("extra ").Append(Convert.ToBase64String(extra.Span)).Append('\n');
        }
        text.Append(CultureInfo.InvariantCulture, $"index {Index}\n");
        foreach (TreeHash hash in Hashes)
        {
            text.Append(hash.ToString()).Append('\n');
        }
        text.Append('\n');
        return [.. Encoding.ASCII.GetBytes(text.ToString()), .. Checkpoint.Encode()];
    }

    /// <summary>
    /// Verifies the checkpoint, and verifies that the log has the entry at <see cref="Index"/>. The caller must check that the index is the
    /// one it asked for; in an Optiks log, the index of a record is the record's epoch. The caller must also apply its policy to the
    /// cosignatures of the opened checkpoint.
    /// </summary>
    public TlogError Verify(CheckpointVerifier verifier, ReadOnlySpan<byte> entry, out SignedCheckpoint? opened)
    {
        ArgumentNullException.ThrowIfNull(verifier);
        if (!verifier.TryOpen(Checkpoint, out opened, out TlogError error))
        {
            return error;
        }
        error = InclusionProof.Verify(Rfc6962.LeafHash(entry), Index, opened.Checkpoint.Size, opened.Checkpoint.Root, Hashes);
        if (error != TlogError.None)
        {
            opened = null;
        }
        return error;
    }

    private static TlogError ParseHead(ref ReadOnlySpan<byte> rest, out byte[]? extra, out ulong index)
    {
        extra = null;
        index = 0;
        if (!StrictText.TryTakeLine(ref rest, out ReadOnlySpan<byte> line) || !line.SequenceEqual(Header))
        {
            return TlogError.BadHeader;
        }
        if (!StrictText.TryTakeLine(ref rest, out line))
        {
            return TlogError.BadIndex;
        }
        ReadOnlySpan<byte> extraName = "extra "u8;
        if (line.StartsWith(extraName))
        {
            if (!StrictText.TryDecodeBase64(line[extraName.Length..], out extra))
            {
                return TlogError.BadBase64;
            }
            if (!StrictText.TryTakeLine(ref rest, out line))
            {
                return TlogError.BadIndex;
            }
        }
        ReadOnlySpan<byte> indexName = "index "u8;
        return line.StartsWith(indexName) && StrictText.TryParseDecimal(line[indexName.Length..], out index)
            ? TlogError.None
            : TlogError.BadIndex;
    }

    private static TlogError ParseHashes(ref ReadOnlySpan<byte> rest, out List<TreeHash> hashes)
    {
        hashes = [];
        while (StrictText.TryTakeLine(ref rest, out ReadOnlySpan<byte> line))
        {
            if (line.IsEmpty)
            {
                return TlogError.None;
            }
            if (hashes.Count == MaxHashes)
            {
                return TlogError.ProofLength;
            }
            if (!TreeHash.TryParseBase64(line, out TreeHash hash))
            {
                return TlogError.BadHash;
            }
            hashes.Add(hash);
        }
        return TlogError.MissingBlankLine;
    }
}
