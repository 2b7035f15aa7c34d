using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// The records of the last epochs of ended periods (docs/spec/periods.md section 4) that a client keeps because an owner still needs these
/// records.
/// </summary>
internal static class PeriodEnds
{
    /// <summary>
    /// Returns the record of the last epoch of a period; null if the period has not ended, or the state does not have the record.
    /// </summary>
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

    /// <summary>
    /// Adds records of period ends to the state. Returns false if the state keeps a different record for one of the periods, because then
    /// one of the two records is false.
    /// </summary>
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

    /// <summary>Drops the records of period ends that no owner needs any more.</summary>
    public static ClientState Tidy(ClientState current)
    {
        // A user's device list is not counted by its own cursor, because the list of a user who has left stays in the user's last period.
        ulong first = current.OwnedChains.Where(key => key.Structure == StructureId.Keys).Select(key => current.OwnOf(key)!.At?.Period)
            .Concat(current.OwnedPersons.Select(user => current.OwnPersonOf(user)!.GoesOnFrom)).OfType<ulong>()
            .DefaultIfEmpty(ulong.MaxValue).Min();
        ImmutableArray<byte[]> needed = [.. current.PeriodEnds.Where(octets => EpochRecord.Decode(octets).Period >= first)];
        return needed.Length == current.PeriodEnds.Length ? current : current with { PeriodEnds = needed };
    }
}
