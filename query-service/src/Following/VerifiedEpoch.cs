using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.QueryService.Following;

/// <summary>VerifiedEpoch is an epoch whose record and checkpoint were checked against all epochs before it.</summary>
/// <param name="Row">The stored epoch.</param>
/// <param name="Record">Its record, decoded.</param>
/// <param name="Root">Root of the checkpoint's tree, whose size is one more than the epoch.</param>
/// <param name="Inclusion">Inclusion proof of the record, which is that tree's last entry.</param>
internal sealed record VerifiedEpoch(EpochRow Row, EpochRecord Record, TreeHash Root, IReadOnlyList<TreeHash> Inclusion);
