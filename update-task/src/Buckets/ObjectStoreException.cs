namespace Optiks.UpdateTask.Buckets;

/// <summary>ObjectStoreException: a bucket gave no answer that can be used. It is tried again.</summary>
internal sealed class ObjectStoreException : Exception
{
    public ObjectStoreException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
