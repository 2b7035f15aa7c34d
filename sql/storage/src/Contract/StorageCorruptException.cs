namespace Optiks.Storage;

/// <summary>The exception for stored data that contradicts itself or the schema.</summary>
public sealed class StorageCorruptException : StorageException
{
    /// <summary>Creates the exception.</summary>
    public StorageCorruptException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
