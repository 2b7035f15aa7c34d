using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>PeriodEnds are the records of the last epochs of periods that ended (docs/spec/periods.md section 4), as a client keeps them: those that an owner still needs.</summary>
internal static class PeriodEnds
{
    /// <summary>EndOf is the record of the last epoch of a period; null: it has not ended, or that is not known here.</summary>
    public static EpochRecord? EndOf(this ClientState state, ulong period)
    {
        foreach (byte[] octets in state.PeriodEnds)
        {
            EpochRecord record = EpochRecord.Decode(octets);
            if (record.Period == period)
            {
                return record;
            }
        }
        return null;
    }

    /// <summary>TryAdd gives the state with these records as well; false: another one of a period is kept, and one of both is none.</summary>
    public static bool TryAdd(ClientState current, IReadOnlyList<byte[]> ends, out ClientState next)
    {
        next = current;
        var all = new SortedDictionary<ulong, byte[]>(current.PeriodEnds.ToDictionary(octets => EpochRecord.Decode(octets).Period));
        foreach (byte[] octets in ends)
        {
            ulong period = EpochRecord.Decode(octets).Period;
            if (all.TryGetValue(period, out byte[]? kept) && !kept.AsSpan().SequenceEqual(octets))
            {
                return false;
            }
            all[period] = octets;
        }
        next = Tidy(all.Count == current.PeriodEnds.Length ? current : current with { PeriodEnds = [.. all.Values] });
        return true;
    }

    /// <summary>Tidy drops the ends that no owner goes on from.</summary>
    public static ClientState Tidy(ClientState current)
    {
        ulong first = current.Owned.Values.Select(key => key.Period).Concat(current.OwnedUsers.Values.Select(user => user.GoesOnFrom).OfType<ulong>()).DefaultIfEmpty(ulong.MaxValue).Min();
        ImmutableArray<byte[]> needed = [.. current.PeriodEnds.Where(octets => EpochRecord.Decode(octets).Period >= first)];
        return needed.Length == current.PeriodEnds.Length ? current : current with { PeriodEnds = needed };
    }
}
