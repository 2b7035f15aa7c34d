namespace Optiks.Storage;

/// <summary>Thrown when stored data contradicts itself or the schema.</summary>
public sealed class StorageCorruptException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageCorruptException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
