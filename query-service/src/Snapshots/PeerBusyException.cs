namespace Optiks.QueryService.Snapshots;

/// <summary>PeerBusyException: the other replica serves its snapshot to others, and says when to ask again.</summary>
internal sealed class PeerBusyException : Exception
{
    public PeerBusyException(TimeSpan retryAfter)
        : base("It is busy.")
    {
        RetryAfter = retryAfter;
    }

    public TimeSpan RetryAfter { get; }
}
