using System.Buffers.Binary;

namespace Optiks.QueryService.Snapshots;

/// <summary>What goes from one replica to another (docs/operations/snapshots.md section 6): both files behind their lengths.</summary>
/// <param name="SnapshotLength">Octets of the snapshot.</param>
/// <param name="LeafLogLength">Octets of the leaf log, all that belong to the snapshot among them.</param>
internal readonly record struct SnapshotTransfer(long SnapshotLength, long LeafLogLength)
{
    /// <summary>Path of the endpoint.</summary>
    public const string Path = "/internal/snapshot";

    /// <summary>HeaderLength of the two lengths.</summary>
    public const int HeaderLength = 16;

    /// <summary>TotalLength of the body.</summary>
    public long TotalLength => HeaderLength + SnapshotLength + LeafLogLength;

    /// <summary>Reads the two lengths that begin a body of <paramref name="totalLength"/> octets; false when they are not those of one.</summary>
    public static bool TryRead(ReadOnlySpan<byte> header, long totalLength, out SnapshotTransfer transfer)
    {
        long snapshot = BinaryPrimitives.ReadInt64BigEndian(header);
        long leafLog = BinaryPrimitives.ReadInt64BigEndian(header[8..]);
        transfer = new SnapshotTransfer(snapshot, leafLog);
        long rest = totalLength - HeaderLength;
        return snapshot >= 0 && snapshot <= rest && leafLog == rest - snapshot;
    }

    /// <summary>Write the lengths.</summary>
    public void Write(Span<byte> header)
    {
        BinaryPrimitives.WriteInt64BigEndian(header, SnapshotLength);
        BinaryPrimitives.WriteInt64BigEndian(header[8..], LeafLogLength);
    }
}
