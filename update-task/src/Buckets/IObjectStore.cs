namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Gives access to a bucket with conditional writes. Any thread. Members throw <see cref="ObjectStoreException"/> if the bucket gives no
/// usable answer; after such a failure it is not known whether a write happened.
/// </summary>
internal interface IObjectStore
{
    /// <summary>
    /// Whether entity tags are sent without quotes in conditions. Ceph's gateway in Debian 12 compares conditions with the bytes between
    /// the quotes. <see cref="BucketProbe"/> sets this property.
    /// </summary>
    bool SendsBareTags { get; set; }

    /// <summary>
    /// Reads an object; returns null if the object does not exist. If the object is longer than <paramref name="maxLength"/>, returns its
    /// first <paramref name="maxLength"/> + 1 bytes.
    /// </summary>
    Task<StoredObject?> GetAsync(string key, int maxLength, CancellationToken cancellationToken);

    /// <summary>Creates an object; returns false if the object exists already.</summary>
    Task<bool> CreateAsync(string key, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>Replaces the object if it has this entity tag. Returns false if the object has another tag or no longer exists.</summary>
    Task<bool> ReplaceAsync(string key, string tag, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>Returns the keys with this prefix, at most a thousand.</summary>
    Task<IReadOnlyList<string>> ListAsync(string prefix, CancellationToken cancellationToken);

    /// <summary>Deletes an object, if it exists.</summary>
    Task DeleteAsync(string key, CancellationToken cancellationToken);
}
