namespace Optiks.Storage;

/// <summary>HeadPolling waits for epochs where the engine has no notifications.</summary>
public static class HeadPolling
{
    /// <summary>PollForPublishedAsync is <see cref="IHeadReader.WaitForPublishedAsync"/> by reading the head every <paramref name="interval"/>. The timeout is real time, whatever the database's clock is set to.</summary>
    public static async Task<Head> PollForPublishedAsync(this IHeadReader reader, ulong? publishedEpoch, TimeSpan timeout, TimeSpan interval, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(reader);
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            Head head = await reader.ReadHeadAsync(cancellationToken).ConfigureAwait(false);
            bool published = head.PublishedEpoch is ulong epoch && (publishedEpoch is null || epoch > publishedEpoch);
            TimeSpan left = timeout - TimeProvider.System.GetElapsedTime(start);
            if (published || left <= TimeSpan.Zero)
            {
                return head;
            }
            await Task.Delay(left < interval ? left : interval, cancellationToken).ConfigureAwait(false);
        }
    }
}
