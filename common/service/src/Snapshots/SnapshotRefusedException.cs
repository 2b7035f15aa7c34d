namespace Optiks.ServiceDefaults;

/// <summary>SnapshotRefusedException says why a snapshot is not what a service goes on from.</summary>
public sealed class SnapshotRefusedException : Exception
{
    public SnapshotRefusedException()
    {
    }

    public SnapshotRefusedException(string message)
        : base(message)
    {
    }

    public SnapshotRefusedException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
