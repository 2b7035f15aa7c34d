using System.Buffers.Binary;

namespace Optiks.Client;

/// <summary>
/// Encodes the parts of a journal: the header and the frames of commits (docs/spec/client-state.md section 5). Does no I/O.
/// </summary>
internal static class JournalFormat
{
    /// <summary>The largest number of octets in the changes of one commit.</summary>
    public const int MaxChanges = 1 << 27;

    public const int LogIdLength = 32;
    public const int HeaderLength = 8 + 1 + LogIdLength + RecordHash.CheckLength;

    /// <summary>The number of octets before the changes of a commit: the length and its check.</summary>
    public const int HeadLength = sizeof(uint) + RecordHash.ShortLength;

    /// <summary>The number of octets after the changes of a commit: the check and the end mark.</summary>
    public const int TailLength = RecordHash.CheckLength + EndLength;

    private const byte Format = 1;
    private const int EndLength = 16;
    private const byte EndOctet = 0xFF;

    private static ReadOnlySpan<byte> Magic => "OPTIKSST"u8;

    public static byte[] EncodeHeader(ReadOnlySpan<byte> logId)
    {
        byte[] octets = [.. Magic, Format, .. logId];
        return [.. octets, .. RecordHash.HashHeader(octets)];
    }

    /// <summary>Describes why these octets are no header, of whatever log and format; null if they are one.</summary>
    public static string? FindFault(ReadOnlySpan<byte> header)
    {
        if (!header.StartsWith(Magic))
        {
            return "it is not a journal of client state";
        }
        int end = HeaderLength - RecordHash.CheckLength;
        return header[end..].SequenceEqual(RecordHash.HashHeader(header[..end])) ? null : "its header does not have the right check";
    }

    /// <summary>Tells whether a later version of this program wrote the journal with this header, in a format of its own.</summary>
    public static bool IsLater(ReadOnlySpan<byte> header) => header[Magic.Length] != Format;

    /// <summary>Tells whether the journal with this header belongs to a log.</summary>
    public static bool BelongsTo(ReadOnlySpan<byte> header, ReadOnlySpan<byte> logId) =>
        header[(Magic.Length + 1)..(HeaderLength - RecordHash.CheckLength)].SequenceEqual(logId);

    /// <summary>Returns the check of a header, with which the first commit is chained to the header.</summary>
    public static byte[] GetHeaderCheck(ReadOnlySpan<byte> header) => header[^RecordHash.CheckLength..].ToArray();

    /// <summary>Returns the check of a frame, with which the next commit is chained to this one.</summary>
    public static byte[] GetCheck(ReadOnlySpan<byte> frame) => frame[^TailLength..^EndLength].ToArray();

    /// <summary>Encodes a commit that follows the header or commit with the check <paramref name="before"/>.</summary>
    public static byte[] EncodeFrame(ReadOnlySpan<byte> before, ReadOnlySpan<byte> changes)
    {
        byte[] frame = new byte[HeadLength + changes.Length + TailLength];
        Span<byte> length = frame.AsSpan(0, sizeof(uint));
        BinaryPrimitives.WriteUInt32BigEndian(length, (uint)changes.Length);
        RecordHash.HashLength(before, length).CopyTo(frame.AsSpan(sizeof(uint)));
        changes.CopyTo(frame.AsSpan(HeadLength));
        RecordHash.HashCommit(before, length, changes).CopyTo(frame.AsSpan(HeadLength + changes.Length));
        frame.AsSpan(frame.Length - EndLength).Fill(EndOctet);
        return frame;
    }

    /// <summary>
    /// Reads the length of a commit's changes. Returns false if the check of the length is not right. A damaged length must not pass for a
    /// long commit that a crash cut off, because all commits after it would then be dropped with it.
    /// </summary>
    public static bool TryReadHead(ReadOnlySpan<byte> before, ReadOnlySpan<byte> head, out uint length)
    {
        length = BinaryPrimitives.ReadUInt32BigEndian(head);
        return head[sizeof(uint)..HeadLength].SequenceEqual(RecordHash.HashLength(before, head[..sizeof(uint)]));
    }

    /// <summary>
    /// Tells whether a frame has the check of a commit that follows <paramref name="before"/>. A crash may have left zeros in the place of
    /// the last octets of the end mark, which the check does not need.
    /// </summary>
    public static bool IsWhole(ReadOnlySpan<byte> before, ReadOnlySpan<byte> frame) =>
        frame[^TailLength..^EndLength].SequenceEqual(
            RecordHash.HashCommit(before, frame[..sizeof(uint)], frame[HeadLength..^TailLength]))
        && !frame[^EndLength..].TrimStart(EndOctet).ContainsAnyExcept((byte)0);

    /// <summary>
    /// Tells whether a frame of the right length lacks its last octets, because the file system made the file longer and did not write all
    /// octets before a crash. The end mark is what tells a commit that was never whole from one that was damaged later.
    /// </summary>
    public static bool IsUnwritten(ReadOnlySpan<byte> frame) => !frame[^EndLength..].ContainsAnyExcept((byte)0);
}
