namespace Optiks.QueryService.Snapshots;

/// <summary>The exception for a peer's snapshot that this replica does not accept; the message gives the reason.</summary>
internal sealed class SnapshotRefusedException : Exception
{
    public SnapshotRefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
