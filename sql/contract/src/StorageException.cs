namespace Optiks.Storage;

/// <summary>A failure of the database. The message says what to do and contains no keys, values or secrets.</summary>
public abstract class StorageException : Exception
{
    /// <summary>Creates the exception.</summary>
    protected StorageException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
