namespace Optiks.Storage;

/// <summary>
/// Finds a period in the list of a log's periods, which is sorted from old to new. Refuses rows that contradict each other, because a
/// program with the wrong period's secrets would make proofs that nobody can verify.
/// </summary>
public static class PeriodRows
{
    /// <summary>
    /// Returns the current period, in which the update-task makes epochs. Throws <see cref="StorageCorruptException"/> when the rows
    /// contradict each other.
    /// </summary>
    public static PeriodRow Current(IReadOnlyList<PeriodRow> periods)
    {
        ThrowIfInconsistent(periods);
        return periods.First(period => period.State == PeriodState.Current);
    }

    /// <summary>
    /// Returns the next period, which is being prepared; null when there is no next period. Throws <see cref="StorageCorruptException"/>
    /// when the rows contradict each other.
    /// </summary>
    public static PeriodRow? Next(IReadOnlyList<PeriodRow> periods)
    {
        ThrowIfInconsistent(periods);
        return periods[^1].State == PeriodState.Next ? periods[^1] : null;
    }

    /// <summary>
    /// Returns the period of an epoch that exists. The result is never the next period, because that period has no epochs yet. Throws
    /// <see cref="StorageCorruptException"/> when the rows contradict each other, or when the period's secrets are destroyed or being
    /// destroyed, because without secrets no proofs can be made.
    /// </summary>
    public static PeriodRow At(IReadOnlyList<PeriodRow> periods, ulong epoch)
    {
        ThrowIfInconsistent(periods);
        PeriodRow period = periods.Last(period => period.FirstEpoch <= epoch);
        return period.State is PeriodState.Current or PeriodState.Ended
            ? period
            : throw new StorageCorruptException($"Epoch {epoch} is in period {period.Period}, whose secrets were destroyed.");
    }

    /// <summary>Returns a description of the contradiction between the rows, or null if there is no contradiction.</summary>
    public static string? Contradiction(IReadOnlyList<PeriodRow> periods)
    {
        ArgumentNullException.ThrowIfNull(periods);
        int current = periods.Count(period => period.State == PeriodState.Current);
        if (current != 1)
        {
            return FormattableString.Invariant($"The database has {current} current periods.");
        }
        for (int i = 0; i < periods.Count; i++)
        {
            PeriodRow period = periods[i];
            PeriodRow? before = i > 0 ? periods[i - 1] : null;
            bool isNext = period.State == PeriodState.Next;
            FormattableString? contradiction =
                period.Period != (ulong)i ? $"The database has period {period.Period} in the place of period {i}."
                : !Enum.IsDefined(period.State) || period.State > before?.State || (isNext && period.State == before?.State)
                    ? $"Period {i} has state {period.State}, and the period before it {before?.State}."
                : period.FirstEpoch is null != isNext || period.Copies is null != isNext
                    ? $"Period {i} has state {period.State}, and its first epoch is {period.FirstEpoch}."
                : !isNext && (before is null ? period.FirstEpoch != 0 || period.Copies != 0 : period.FirstEpoch <= before.FirstEpoch)
                    ? $"Period {i} cannot begin at epoch {period.FirstEpoch}."
                : period.State != PeriodState.Destroying && period.WrappedSecrets.IsEmpty != (period.State == PeriodState.Destroyed)
                    ? (FormattableString)$"Period {i} has {(period.WrappedSecrets.IsEmpty ? "no secrets" : "secrets although they were destroyed")}."
                : null;
            if (contradiction is not null)
            {
                return FormattableString.Invariant(contradiction);
            }
        }
        return null;
    }

    private static void ThrowIfInconsistent(IReadOnlyList<PeriodRow> periods)
    {
        if (Contradiction(periods) is { } contradiction)
        {
            throw new StorageCorruptException($"{contradiction} Restore the database.");
        }
    }
}
