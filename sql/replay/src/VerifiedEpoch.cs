using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Storage.Replay;

/// <summary>VerifiedEpoch is an epoch whose record was checked against all records before it.</summary>
/// <param name="Row">The stored epoch.</param>
/// <param name="Record">Its record, decoded.</param>
/// <param name="Root">Root of the log that ends with the record; its size is one more than the epoch.</param>
/// <param name="Inclusion">Inclusion proof of the record, which is that log's last entry.</param>
public sealed record VerifiedEpoch(EpochRow Row, EpochRecord Record, TreeHash Root, IReadOnlyList<TreeHash> Inclusion)
{
    /// <summary>Epoch is its number.</summary>
    public ulong Epoch => Row.Epoch;
}
