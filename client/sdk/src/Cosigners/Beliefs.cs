using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Keeps a bounded list of the answers that the client believed and that auditors do not cover yet (docs/spec/cosigners.md section 5).
/// </summary>
internal static class Beliefs
{
    /// <summary>The most elements that the list in the client's state may have.</summary>
    public const int Max = 512;

    /// <summary>
    /// Drops the believed answers that auditors cover now. Adds the claims of a new answer unless auditors cover this answer already.
    /// </summary>
    /// <param name="state">The client's state, with the newest checkpoints of cosigners.</param>
    /// <param name="policy">The client's policy.</param>
    /// <param name="believed">The answer's claims.</param>
    /// <param name="record">Record of the largest epoch that the answer used.</param>
    /// <param name="from">
    /// Epoch at which the client had already verified the proofs that the answer left out; the record's epoch if the answer left out
    /// nothing.
    /// </param>
    /// <param name="now">The current time.</param>
    public static ClientState Update(
        ClientState state, TrustPolicy policy, IEnumerable<Believed> believed, ReadOnlyMemory<byte> record, ulong from, DateTimeOffset now)
    {
        if (policy.Auditors is null)
        {
            // The policy has no auditors. Believed answers from an earlier run whose policy had auditors stay in the state, because no
            // auditor has covered them and no person has accepted them.
            return state;
        }
        var coverage = new Coverage(policy, state.Cosigners);
        ImmutableArray<Belief> open = state.Unaudited.RemoveAll(belief => coverage.IsAudited(belief.FromEpoch, belief.Epoch));
        ulong epoch = EpochRecord.ReadEpoch(record.Span);
        if (!coverage.IsAudited(from, epoch))
        {
            string hash = Base64UrlText.Encode(EpochRecord.Hash(record.Span));
            open = believed.Aggregate(
                open,
                (list, one) =>
                    Add(list, new Belief(epoch, hash, now.ToUnixTimeMilliseconds(), from, one.Key, one.Version, one.ValueSha256)));
        }
        return open == state.Unaudited ? state : state with { Unaudited = open };
    }

    // Once the list is full, its newest element also represents all later answers, and counts as covered when auditors cover the last of
    // these answers. The earlier elements keep their own times, so that their alarm comes when it is due.
    private static ImmutableArray<Belief> Add(ImmutableArray<Belief> list, Belief belief)
    {
        if (list.Any(one => one.Epoch == belief.Epoch && one.Key == belief.Key && one.FromEpoch <= belief.FromEpoch))
        {
            return list;
        }
        if (list.Length < Max)
        {
            return list.Add(belief);
        }
        Belief last = list[^1];
        Belief later = belief.Epoch >= last.Epoch ? belief : last;
        return list.SetItem(Max - 1,
            new Belief(later.Epoch, later.RecordHash, belief.BelievedAtMs, Math.Min(belief.FromEpoch, last.FromEpoch)));
    }
}
