namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Gives access to a bucket with conditional writes. Any thread. Members throw <see cref="ObjectStoreException"/> if the bucket gives no
/// usable answer; a write may then have happened or not.
/// </summary>
internal interface IObjectStore
{
    /// <summary>
    /// Whether entity tags are sent without quotes in conditions. Ceph's gateway in Debian 12 compares conditions with the bytes between
    /// the quotes. <see cref="BucketProbe"/> finds out.
    /// </summary>
    bool SendsBareTags { get; set; }

    /// <summary>
    /// Reads an object; returns null if it does not exist. If it is longer than <paramref name="maxLength"/>, returns its first
    /// <paramref name="maxLength"/> + 1 bytes.
    /// </summary>
    Task<StoredObject?> GetAsync(string key, int maxLength, CancellationToken cancellationToken);

    /// <summary>Writes an object that must not exist yet; returns false if it does.</summary>
    Task<bool> CreateAsync(string key, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>Writes an object over the one with this entity tag; returns false if that one is gone.</summary>
    Task<bool> ReplaceAsync(string key, string tag, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>Returns the keys with this prefix, at most a thousand.</summary>
    Task<IReadOnlyList<string>> ListAsync(string prefix, CancellationToken cancellationToken);

    /// <summary>Deletes an object, if it exists.</summary>
    Task DeleteAsync(string key, CancellationToken cancellationToken);
}
