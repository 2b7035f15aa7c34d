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
    /// For how long the database will not be asked; set when it was not asked at all because it had failed repeatedly. In that case the
    /// failed operation had no effect.
    /// </summary>
    public TimeSpan? RetryAfter { get; init; }
}
