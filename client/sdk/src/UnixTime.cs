namespace Optiks.Client;

/// <summary>Converts the times of records. A time may be any 64-bit number until it has been compared with the clock.</summary>
internal static class UnixTime
{
    /// <summary>Returns the date of a time; the last possible date for any later time.</summary>
    public static DateTimeOffset FromMilliseconds(ulong milliseconds) =>
        milliseconds < (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
        ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds)
        : DateTimeOffset.MaxValue;

    /// <summary>
    /// Tells whether the first time is later than the second time by more than a tolerance, the third argument. The comparison cannot
    /// overflow.
    /// </summary>
    public static bool IsAfter(ulong milliseconds, ulong other, ulong more) => milliseconds > other && milliseconds - other > more;
}
