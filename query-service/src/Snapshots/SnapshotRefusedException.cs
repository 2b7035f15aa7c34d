namespace Optiks.QueryService.Snapshots;

/// <summary>Says why a peer's snapshot is not taken.</summary>
internal sealed class SnapshotRefusedException : Exception
{
    public SnapshotRefusedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
