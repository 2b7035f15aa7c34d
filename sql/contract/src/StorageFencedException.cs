namespace Optiks.Storage;

/// <summary>
/// Thrown when the database has another epoch, hash, fence or holder than a conditional write names. Nothing was written, and the caller
/// must stop writing.
/// </summary>
public sealed class StorageFencedException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageFencedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
