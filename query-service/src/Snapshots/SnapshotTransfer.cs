using System.Buffers.Binary;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// The body that one replica sends to another (docs/operations/snapshots.md section 6): the lengths of both files, then the files.
/// </summary>
/// <param name="SnapshotLength">The number of bytes of the snapshot.</param>
/// <param name="LeafLogLength">The number of bytes of the leaf log, which include at least all leaves that belong to the snapshot.</param>
internal readonly record struct SnapshotTransfer(long SnapshotLength, long LeafLogLength)
{
    /// <summary>The path of the endpoint.</summary>
    public const string Path = "/internal/snapshot";

    /// <summary>The number of bytes of the header, which holds the two length fields.</summary>
    public const int HeaderLength = 16;

    /// <summary>The number of bytes of the body.</summary>
    public long TotalLength => HeaderLength + SnapshotLength + LeafLogLength;

    /// <summary>
    /// Reads the two lengths at the beginning of a body of <paramref name="totalLength"/> bytes; returns false when the lengths do not add
    /// up to that total.
    /// </summary>
    public static bool TryRead(ReadOnlySpan<byte> header, long totalLength, out SnapshotTransfer transfer)
    {
        long snapshot = BinaryPrimitives.ReadInt64BigEndian(header);
        long leafLog = BinaryPrimitives.ReadInt64BigEndian(header[8..]);
        transfer = new SnapshotTransfer(snapshot, leafLog);
        long rest = totalLength - HeaderLength;
        return snapshot >= 0 && snapshot <= rest && leafLog == rest - snapshot;
    }

    /// <summary>Writes the header with the two lengths.</summary>
    public void Write(Span<byte> header)
    {
        BinaryPrimitives.WriteInt64BigEndian(header, SnapshotLength);
        BinaryPrimitives.WriteInt64BigEndian(header[8..], LeafLogLength);
    }
}
