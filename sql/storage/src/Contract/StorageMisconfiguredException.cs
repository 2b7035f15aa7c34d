namespace Optiks.Storage;

/// <summary>
/// The exception for a database whose schema or settings do not suit this build, or which is not the database that was opened at first.
/// Programs then exit with code 78. Stores throw this exception while they open, and afterwards only when <see cref="IsOtherDatabase"/> is
/// true.
/// </summary>
public sealed class StorageMisconfiguredException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageMisconfiguredException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>
    /// Whether the database has been replaced by another one since it was opened. If true, this process must stop using it.
    /// </summary>
    public bool IsOtherDatabase { get; init; }

    /// <summary>
    /// Converts an error of a database that this process opened earlier. At that time, the database's settings, users and schema were
    /// right. A mistake that an operator can undo, such as reloading a wrong <c>pg_hba.conf</c>, must not end a program, so its error
    /// becomes a <see cref="StorageUnavailableException"/>.
    /// </summary>
    public static StorageException JudgeOpened(StorageException error) =>
        error is StorageMisconfiguredException { IsOtherDatabase: false }
            ? new StorageUnavailableException($"The database could be used before, but not now. {error.Message}", error)
            : error;
}
