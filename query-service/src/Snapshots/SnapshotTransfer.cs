using System.Buffers.Binary;

namespace Optiks.QueryService.Snapshots;

/// <summary>
/// Describes the body that one replica sends to another (docs/operations/snapshots.md section 6). The body has the lengths of the snapshot
/// and the leaf log, and then both files.
/// </summary>
/// <param name="SnapshotLength">The length of the snapshot in bytes.</param>
/// <param name="LeafLogLength">The number of bytes of the leaf log that are sent. They include at least all leaves that belong to the
/// snapshot.</param>
internal readonly record struct SnapshotTransfer(long SnapshotLength, long LeafLogLength)
{
    /// <summary>The URL path of the endpoint that sends the body.</summary>
    public const string Path = "/internal/snapshot";

    /// <summary>The number of bytes of the header, which has the two lengths.</summary>
    public const int HeaderLength = 16;

    /// <summary>The number of bytes of the whole body.</summary>
    public long TotalLength => HeaderLength + SnapshotLength + LeafLogLength;

    /// <summary>
    /// Reads the two lengths at the beginning of a body. Returns false if they do not add up to the body's length
    /// (<paramref name="totalLength"/>).
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
