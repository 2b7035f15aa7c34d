using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage;

/// <summary>An epoch whose record a <see cref="RecordChain"/> has checked against all records before it.</summary>
public sealed class VerifiedEpoch
{
    private readonly TreeHash[]? _inclusion;

    internal VerifiedEpoch(EpochRow row, TreeHash[]? inclusion)
    {
        _inclusion = inclusion;
        Row = row;
        Record = EpochRecord.Decode(row.Record.Span);
    }

    /// <summary>The epoch's row in the database.</summary>
    public EpochRow Row { get; }

    /// <summary>The decoded record of the epoch.</summary>
    public EpochRecord Record { get; }

    /// <summary>The epoch's number.</summary>
    public ulong Epoch => Row.Epoch;

    /// <summary>
    /// The inclusion proof of the record in the log that ends with this record. Throws <see cref="InvalidOperationException"/> if the
    /// replay computes no roots (<see cref="LogRoots.None"/>).
    /// </summary>
    public IReadOnlyList<TreeHash> Inclusion => _inclusion ?? throw new InvalidOperationException("Roots of the log were not asked for.");

    /// <summary>
    /// Computes the root of the log that ends with the record; that log's size is the epoch's number plus one. Throws the same exception as
    /// <see cref="Inclusion"/>.
    /// </summary>
    public TreeHash Root() => Inclusion.Aggregate(Rfc6962.LeafHash(Row.Record.Span), (right, left) => Rfc6962.NodeHash(left, right));
}
