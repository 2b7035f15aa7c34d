namespace Optiks.Storage;

/// <summary>StorageMisconfiguredException: the database's schema or settings are not what this build needs, or the database is not the one that was opened. Programs exit with 78.</summary>
public sealed class StorageMisconfiguredException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageMisconfiguredException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
