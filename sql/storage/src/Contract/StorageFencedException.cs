namespace Optiks.Storage;

/// <summary>
/// The exception for a conditional write whose epoch, hash, fence or holder differs from the database's. Nothing was written, and the
/// caller must stop writing.
/// </summary>
public sealed class StorageFencedException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageFencedException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
