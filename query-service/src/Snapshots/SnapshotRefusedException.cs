namespace Optiks.QueryService.Snapshots;

/// <summary>Thrown when a peer's snapshot is not accepted; the message says why.</summary>
internal sealed class SnapshotRefusedException : Exception
{
    public SnapshotRefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
