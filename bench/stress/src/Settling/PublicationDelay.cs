using Optiks.Stress.Load;

namespace Optiks.Stress.Settling;

/// <summary>Measures the time from an update's acceptance until a reader can see it.</summary>
internal static class PublicationDelay
{
    /// <summary>An update's acceptance and the epoch that contains it.</summary>
    internal readonly record struct Published(long AcceptedAt, ulong Epoch);

    /// <summary>
    /// Returns the delays in microseconds. An epoch counts as visible when it or a later one was first shown; an epoch that was never seen
    /// counts nothing.
    /// </summary>
    /// <param name="updates">Accepted at these timestamps, in these epochs.</param>
    /// <param name="shown">Epochs and the timestamps at which they were first shown, in the order of the epochs.</param>
    /// <param name="time">Clock of the timestamps.</param>
    public static Histogram Measure(IEnumerable<Published> updates, IReadOnlyList<(ulong Epoch, long Seen)> shown, TimeProvider time)
    {
        ulong[] epochs = [.. shown.Select(epoch => epoch.Epoch)];
        // A replica may show a later epoch before another one shows an earlier one.
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
