namespace Optiks.Stress.Settling;

/// <summary>VersionCheck compares what a key's updates were told with the key's verified history.</summary>
internal static class VersionCheck
{
    /// <summary>Published is one update: the period, the version in it and the epoch that the update-service named.</summary>
    internal readonly record struct Published(ulong Period, ulong Version, ulong Epoch);

    /// <summary>HistoryVersion is one version of the verified history; epoch 0 for a copy made at a period's start.</summary>
    internal readonly record struct HistoryVersion(ulong Version, ulong Epoch);

    /// <summary>
    /// Compare counts updates that the history does not have as they were told (lost), and versions shared by two updates or made after
    /// <paramref name="lastBefore"/> by none (doubled).
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
