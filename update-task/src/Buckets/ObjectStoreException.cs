namespace Optiks.UpdateTask.Buckets;

/// <summary>Says that a bucket gave no usable answer. The caller retries.</summary>
internal sealed class ObjectStoreException : Exception
{
    public ObjectStoreException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
