namespace Optiks.Stress.Settling;

/// <summary>Compares the versions that the update-service named for a key's updates with the key's verified history.</summary>
internal static class VersionCheck
{
    /// <summary>One update, with the period, version and epoch that the update-service named.</summary>
    internal readonly record struct Published(ulong Period, ulong Version, ulong Epoch);

    /// <summary>One version of the verified history; epoch 0 for a copy made at a period's start.</summary>
    internal readonly record struct HistoryVersion(ulong Version, ulong Epoch);

    /// <summary>
    /// Counts lost updates, which the history does not have under the version and epoch that the update-service named. Also counts doubled
    /// versions, which two updates share, or which are later than epoch <paramref name="lastBefore"/> and belong to no update.
    /// </summary>
    /// <param name="updates">All accepted updates of the key in one period.</param>
    /// <param name="history">Verified versions of that period, from the first on.</param>
    /// <param name="lastBefore">Last epoch before the run.</param>
    public static (long Lost, long Doubled) Compare(IReadOnlyCollection<Published> updates, IReadOnlyList<HistoryVersion> history, ulong lastBefore)
    {
        Dictionary<ulong, ulong> epochs = history.ToDictionary(shown => shown.Version, shown => shown.Epoch);
        var taken = new HashSet<ulong>();
        long lost = 0;
        long doubled = 0;
        foreach (Published update in updates)
        {
            if (!taken.Add(update.Version))
            {
                doubled++;
            }
            else if (!epochs.TryGetValue(update.Version, out ulong epoch) || epoch != update.Epoch)
            {
                lost++;
            }
        }
        doubled += history.Count(shown => shown.Epoch > lastBefore && !taken.Contains(shown.Version));
        return (lost, doubled);
    }
}
