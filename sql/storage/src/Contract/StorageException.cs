namespace Optiks.Storage;

/// <summary>The base class of exceptions for database failures. The message says what the operator can do, and contains no keys, values or
/// secrets.</summary>
public abstract class StorageException : Exception
{
    /// <summary>Creates the exception.</summary>
    protected StorageException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
