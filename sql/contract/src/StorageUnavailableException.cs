namespace Optiks.Storage;

/// <summary>StorageUnavailableException: the database cannot be reached, is busy beyond its time limit, or is full. Trying again later is right; what was under way may or may not have happened.</summary>
public sealed class StorageUnavailableException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageUnavailableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>RetryAfter is set when the database was not asked at all, because it had failed repeatedly: for how long it will not be. Nothing was under way then.</summary>
    public TimeSpan? RetryAfter { get; init; }
}
