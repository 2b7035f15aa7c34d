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
    /// The time during which this process sends nothing to the database. It is set when the process did not even send the operation,
    /// because the database had failed repeatedly. Then the failed operation had no effect.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }
}
