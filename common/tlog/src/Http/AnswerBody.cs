namespace Optiks.Tlog;

/// <summary>AnswerBody reads the body of a server's answer, with one deadline to its last octet and a bound on its length.</summary>
public static class AnswerBody
{
    private const int FirstLength = 16 * 1024;

    /// <summary>
    /// ReadAsync gives the octets of a body. Memory grows with the octets that came, at most to <paramref name="maxLength"/>: the declared length may be false, missing, or that of a compressed body. Throws
    /// <see cref="AnswerTooLongException"/>, what the stream throws, and <see cref="OperationCanceledException"/> at the deadline.
    /// </summary>
    public static async Task<byte[]> ReadAsync(HttpContent content, int maxLength, AnswerDeadline deadline)
    {
        ArgumentNullException.ThrowIfNull(content);
        ArgumentNullException.ThrowIfNull(deadline);
        ArgumentOutOfRangeException.ThrowIfNegative(maxLength);
        long? declared = content.Headers.ContentLength;
        if (declared > maxLength)
        {
            throw new AnswerTooLongException(maxLength);
        }
        using Stream body = await content.ReadAsStreamAsync(deadline.Token).ConfigureAwait(false);
        byte[] octets = new byte[Math.Min(FirstLength, Capacity(declared, maxLength))];
        int length = 0;
        while (true)
        {
            if (length == octets.Length)
            {
                // The last octet beyond the limit is never stored, and tells that there is one.
                int capacity = (int)Math.Min(Math.Max(2L * length, FirstLength), Capacity(length < declared ? declared : null, maxLength));
                if (capacity <= length)
                {
                    throw new AnswerTooLongException(maxLength);
                }
                Array.Resize(ref octets, capacity);
            }
            int read = await body.ReadAsync(octets.AsMemory(length), deadline.Token).ConfigureAwait(false);
            if (read == 0)
            {
                return length == octets.Length ? octets : octets[..length];
            }
            length += read;
            deadline.Received(read);
            if (length > maxLength)
            {
                throw new AnswerTooLongException(maxLength);
            }
        }
    }

    // One more than the body may have: a read into it finds the end, or that there is too much.
    private static long Capacity(long? declared, int maxLength) => Math.Min((declared ?? maxLength) + 1, Array.MaxLength);
}
