namespace Optiks.QueryService.Snapshots;

/// <summary>The exception for a peer that is busy sending its snapshot to other replicas. It says when to ask the peer again.</summary>
internal sealed class PeerBusyException : Exception
{
    public PeerBusyException(TimeSpan retryAfter)
        : base("It is busy.")
    {
        RetryAfter = retryAfter;
    }

    public TimeSpan RetryAfter { get; }
}
