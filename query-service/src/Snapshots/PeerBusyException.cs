namespace Optiks.QueryService.Snapshots;

/// <summary>Thrown when the other replica is busy sending its snapshot to other replicas. The exception says when to ask again.</summary>
internal sealed class PeerBusyException : Exception
{
    public PeerBusyException(TimeSpan retryAfter)
        : base("It is busy.")
    {
        RetryAfter = retryAfter;
    }

    public TimeSpan RetryAfter { get; }
}
