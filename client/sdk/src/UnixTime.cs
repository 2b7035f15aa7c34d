namespace Optiks.Client;

/// <summary>Converts the times of records, which are any 64-bit number until they have been compared with the clock.</summary>
internal static class UnixTime
{
    /// <summary>Returns a date; the last possible date for times beyond it.</summary>
    public static DateTimeOffset FromMilliseconds(ulong milliseconds) => milliseconds < (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
        ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds)
        : DateTimeOffset.MaxValue;

    /// <summary>
    /// Tells whether one time is later than another by more than <paramref name="more"/>, without overflow.
    /// </summary>
    public static bool IsAfter(ulong milliseconds, ulong other, ulong more) => milliseconds > other && milliseconds - other > more;
}
