namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Gives access to a bucket with conditional writes. Any thread may use it. Members throw <see cref="ObjectStoreException"/> if the bucket
/// gives no usable answer. If a write fails in this way, the caller does not know whether the bucket carried the write out.
/// </summary>
internal interface IObjectStore
{
    /// <summary>
    /// Whether the conditions of writes contain entity tags without quotes. Ceph's gateway in Debian 12 needs this, because it compares the
    /// tag in the condition with its own tag without quotes. The class <see cref="BucketProbe"/> sets this property.
    /// </summary>
    bool SendsBareTags { get; set; }

    /// <summary>
    /// Reads an object; returns null if the object does not exist. If the object is longer than the limit in the parameter
    /// <paramref name="maxLength"/>, returns only its first bytes, one byte more than the limit, so that the caller notices.
    /// </summary>
    Task<StoredObject?> GetAsync(string key, int maxLength, CancellationToken cancellationToken);

    /// <summary>Creates an object. Returns false if the object exists already.</summary>
    Task<bool> CreateAsync(string key, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>
    /// Replaces an object if its entity tag is the given tag. Returns false if the object has another tag or no longer exists.
    /// </summary>
    Task<bool> ReplaceAsync(string key, string tag, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>Returns the keys of at most a thousand objects whose keys begin with the prefix.</summary>
    Task<IReadOnlyList<string>> ListAsync(string prefix, CancellationToken cancellationToken);

    /// <summary>Deletes an object, if it exists.</summary>
    Task DeleteAsync(string key, CancellationToken cancellationToken);
}
