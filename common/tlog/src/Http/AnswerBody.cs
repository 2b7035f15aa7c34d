namespace Optiks.Tlog;

/// <summary>Reads the body of a server's answer, with a maximum length and a deadline for the last byte.</summary>
public static class AnswerBody
{
    private const int FirstLength = 16 * 1024;

    /// <summary>
    /// Returns the bytes of a body. The used memory grows with the received bytes, to at most <paramref name="maxLength"/>. It does not
    /// depend on the declared length, which may be false, missing, or the length of the compressed body. Throws
    /// <see cref="AnswerTooLongException"/> if the body is longer than <paramref name="maxLength"/>, the exceptions of the stream, and
    /// <see cref="OperationCanceledException"/> at the deadline.
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
                // The array may be one byte longer than the limit. A byte beyond the limit shows that the body is too long, and is never
                // returned.
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

    // Returns the largest capacity of the buffer, which is one byte more than the body may have. A read into that byte shows whether the
    // body has ended or is too long.
    private static long Capacity(long? declared, int maxLength) => Math.Min((declared ?? maxLength) + 1, Array.MaxLength);
}
