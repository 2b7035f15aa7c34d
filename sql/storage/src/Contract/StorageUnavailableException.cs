namespace Optiks.Storage;

/// <summary>
/// The exception for a database that cannot be reached, does not answer within the time limit, or is full. The caller may retry later; the
/// failed operation may or may not have taken effect.
/// </summary>
public sealed class StorageUnavailableException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageUnavailableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// The time during which this process will send nothing to the database, because the database failed repeatedly. If it is set, the
    /// process did not send the failed operation, which therefore had no effect.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }
}
