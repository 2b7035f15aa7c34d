namespace Optiks.Client;

/// <summary>UnixTime converts the times of records, which are any 64-bit number until they have been compared with the clock.</summary>
internal static class UnixTime
{
    /// <summary>FromMilliseconds gives a date; the last one that there is for times beyond it.</summary>
    public static DateTimeOffset FromMilliseconds(ulong milliseconds) => milliseconds < (ulong)DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
        ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds)
        : DateTimeOffset.MaxValue;

    /// <summary>IsAfter tells whether one time is later than another and so much more, without overflow.</summary>
    public static bool IsAfter(ulong milliseconds, ulong other, ulong more) => milliseconds > other && milliseconds - other > more;
}
