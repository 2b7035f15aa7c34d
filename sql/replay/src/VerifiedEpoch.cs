using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage.Replay;

/// <summary>An epoch whose record was checked against all records before it.</summary>
public sealed class VerifiedEpoch
{
    private readonly TreeHash[]? _inclusion;

    internal VerifiedEpoch(EpochRow row, TreeHash[]? inclusion)
    {
        _inclusion = inclusion;
        Row = row;
        Record = EpochRecord.Decode(row.Record.Span);
    }

    /// <summary>The stored epoch.</summary>
    public EpochRow Row { get; }

    /// <summary>The decoded record of the row.</summary>
    public EpochRecord Record { get; }

    /// <summary>The epoch's number.</summary>
    public ulong Epoch => Row.Epoch;

    /// <summary>
    /// The inclusion proof of the record in the log that ends with this record. Throws <see cref="InvalidOperationException"/> when the
    /// replay has no roots (<see cref="LogRoots.None"/>).
    /// </summary>
    public IReadOnlyList<TreeHash> Inclusion => _inclusion ?? throw new InvalidOperationException("Roots of the log were not asked for.");

    /// <summary>
    /// Returns the root of the log that ends with the record; the log's size is the epoch plus one. Computes the root at each call. Throws
    /// as <see cref="Inclusion"/> does.
    /// </summary>
    public TreeHash Root() => Inclusion.Aggregate(Rfc6962.LeafHash(Row.Record.Span), (right, left) => Rfc6962.NodeHash(left, right));
}
