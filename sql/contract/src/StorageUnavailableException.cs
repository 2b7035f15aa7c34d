namespace Optiks.Storage;

/// <summary>
/// Thrown when the database cannot be reached, is busy beyond its time limit, or is full. The caller may retry later; the failed operation
/// may or may not have taken effect.
/// </summary>
public sealed class StorageUnavailableException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageUnavailableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// The time during which the caller will send nothing to the database. It is set when the operation was not sent because the database
    /// had failed repeatedly; then the failed operation had no effect.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }
}
