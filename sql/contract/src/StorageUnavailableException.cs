namespace Optiks.Storage;

/// <summary>StorageUnavailableException: the database cannot be reached, is busy beyond its time limit, or is full. Trying again later is right; what was under way may or may not have happened.</summary>
public sealed class StorageUnavailableException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageUnavailableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
