namespace Optiks.UpdateTask.Buckets;

/// <summary>Reports that a bucket gave no usable answer. The caller must retry.</summary>
internal sealed class ObjectStoreException : Exception
{
    public ObjectStoreException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
