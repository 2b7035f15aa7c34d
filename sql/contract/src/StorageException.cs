namespace Optiks.Storage;

/// <summary>A failure of the database. Its message says what to do and holds no keys, values or secrets.</summary>
public abstract class StorageException : Exception
{
    /// <summary>Creates the exception.</summary>
    protected StorageException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
