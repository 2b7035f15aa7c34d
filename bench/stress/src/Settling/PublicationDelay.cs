using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>Measures the time from an update's acceptance until a reader can see it.</summary>
internal static class PublicationDelay
{
    /// <summary>The timestamp at which an update was accepted, and the epoch that contains the update.</summary>
    internal readonly record struct Published(long AcceptedAt, ulong Epoch);

    /// <summary>
    /// Returns the delays in microseconds. An epoch counts as visible when a replica first showed that epoch or a later one. If no replica
    /// showed such an epoch, the update adds no delay.
    /// </summary>
    /// <param name="updates">Updates with the timestamps of their acceptance and the epochs that contain them.</param>
    /// <param name="shown">Epochs and the timestamps at which a replica first showed them, in the order of the epochs.</param>
    /// <param name="time">Clock of the timestamps.</param>
    public static Histogram Measure(IEnumerable<Published> updates, IReadOnlyList<(ulong Epoch, long Seen)> shown, TimeProvider time)
    {
        ulong[] epochs = [.. shown.Select(epoch => epoch.Epoch)];
        // Take the earliest time of this epoch and all later epochs, because one replica may show a later epoch before another replica
        // shows an earlier epoch.
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
