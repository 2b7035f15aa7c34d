namespace Optiks.Stress.Settling;

/// <summary>Compares the versions that the update-service gave to a key's updates with the key's verified history.</summary>
internal static class VersionCheck
{
    /// <summary>Holds the period, version and epoch of an update, according to the update-service.</summary>
    internal readonly record struct Published(ulong Period, ulong Version, ulong Epoch);

    /// <summary>Holds a version of the verified history. The epoch is 0 if the version is a copy from the start of a period.</summary>
    internal readonly record struct HistoryVersion(ulong Version, ulong Epoch);

    /// <summary>
    /// Returns the numbers of lost updates and doubled versions. An update is lost if the history does not have its version with its epoch.
    /// A version is doubled if two updates share it, or if it is later than epoch <paramref name="lastBefore"/> and belongs to no update.
    /// </summary>
    /// <param name="updates">All accepted updates of the key in the period.</param>
    /// <param name="history">The verified versions of the key in that period, from the first on.</param>
    /// <param name="lastBefore">The last epoch before the run.</param>
    public static (long Lost, long Doubled) Compare(
        IReadOnlyCollection<Published> updates, IReadOnlyList<HistoryVersion> history, ulong lastBefore)
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
