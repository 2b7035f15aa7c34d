namespace Optiks.Storage;

/// <summary>StorageMisconfiguredException: the database's schema or settings are not what this build needs, or the database is not the one that was opened. Programs exit with 78. Stores throw it while they open; afterwards only for <see cref="IsOtherDatabase"/>.</summary>
public sealed class StorageMisconfiguredException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageMisconfiguredException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }

    /// <summary>IsOtherDatabase: the database is not the one that was opened, so that this process must not go on with it.</summary>
    public bool IsOtherDatabase { get; init; }

    /// <summary>
    /// Judges an error of a database that was open. That database had the right settings, users and schema, so an operator's mistake that an operator takes back, such as a reload of
    /// <c>pg_hba.conf</c>, must end no program: <see cref="StorageUnavailableException"/>.
    /// </summary>
    public static StorageException JudgeOpened(StorageException error) =>
        error is StorageMisconfiguredException { IsOtherDatabase: false } ? new StorageUnavailableException($"The database could be used before, and cannot be now. {error.Message}", error) : error;
}
