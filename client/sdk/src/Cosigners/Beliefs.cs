using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>Beliefs keep what was believed and is not audited yet, within bounds (docs/spec/cosigners.md section 5).</summary>
internal static class Beliefs
{
    /// <summary>Most that are kept.</summary>
    public const int Max = 512;

    /// <summary>Update drops what is covered by now, and adds what an answer showed unless that is.</summary>
    /// <param name="state">State with the cosigners of now.</param>
    /// <param name="policy">The client's.</param>
    /// <param name="believed">What the answer showed.</param>
    /// <param name="record">Record of the largest epoch that it used.</param>
    /// <param name="from">Epoch at which the proofs were verified that it left out; the record's epoch if there are none.</param>
    /// <param name="now">The time.</param>
    public static ClientState Update(ClientState state, TrustPolicy policy, IEnumerable<Believed> believed, ReadOnlyMemory<byte> record, ulong from, DateTimeOffset now)
    {
        if (policy.Auditors is null)
        {
            // What an earlier run believed under auditors stays: a run without them covers nothing, and nobody accepted it.
            return state;
        }
        var coverage = new Coverage(policy, state.Cosigners);
        ImmutableArray<Belief> open = state.Unaudited.RemoveAll(belief => coverage.IsAudited(belief.FromEpoch, belief.Epoch));
        ulong epoch = EpochRecord.EpochOf(record.Span);
        if (!coverage.IsAudited(from, epoch))
        {
            string hash = Base64UrlText.Encode(EpochRecord.Hash(record.Span));
            open = believed.Aggregate(open, (list, one) => Add(list, new Belief(epoch, hash, now.ToUnixTimeMilliseconds(), from, one.Key, one.Version, one.ValueSha256)));
        }
        return open == state.Unaudited ? state : state with { Unaudited = open };
    }

    // Once the list is full the newest element stands for all that come later: it is covered when the last of them is. Those before it keep their own times, so that the alarm comes when it is due.
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
        return list.SetItem(Max - 1, new Belief(later.Epoch, later.RecordHash, belief.BelievedAtMs, Math.Min(belief.FromEpoch, last.FromEpoch)));
    }
}
