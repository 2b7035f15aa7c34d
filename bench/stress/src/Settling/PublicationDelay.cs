using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>Measures the time from an update's acceptance until a reader can see it.</summary>
internal static class PublicationDelay
{
    /// <summary>Holds the timestamp at which an update was accepted, and the epoch that contains the update.</summary>
    internal readonly record struct Published(long AcceptedAt, ulong Epoch);

    /// <summary>
    /// Returns the delays of updates in microseconds. An update counts as visible when a replica first shows the update's epoch or a later
    /// epoch. An update that no replica has shown is left out.
    /// </summary>
    /// <param name="updates">The updates, with the timestamps of their acceptance and the epochs that contain them.</param>
    /// <param name="shown">The epochs, with the timestamps at which a replica first showed them, in the order of the epochs.</param>
    /// <param name="time">The clock of the timestamps.</param>
    public static Histogram Measure(IEnumerable<Published> updates, IReadOnlyList<(ulong Epoch, long Seen)> shown, TimeProvider time)
    {
        ulong[] epochs = [.. shown.Select(epoch => epoch.Epoch)];
        // For each epoch, the loop finds the earliest time at which a replica showed this epoch or a later one. This time may be before the
        // time in `shown`, because one replica may show a later epoch before another replica shows this epoch.
        long[] seen = [.. shown.Select(epoch => epoch.Seen)];
        for (int i = seen.Length - 2; i >= 0; i--)
        {
            seen[i] = Math.Min(seen[i], seen[i + 1]);
        }
        var delays = new Histogram();
        foreach (Published update in updates)
        {
            int found = Array.BinarySearch(epochs, update.Epoch);
            int index = found >= 0 ? found : ~found;
            if (index < epochs.Length)
            {
                delays.Record((long)(time.GetElapsedTime(update.AcceptedAt, seen[index]).TotalSeconds * 1e6));
            }
        }
        return delays;
    }
}
