namespace Optiks.UpdateTask.Buckets;

/// <summary>IObjectStore is a bucket with conditional writes. Any thread. Members throw <see cref="ObjectStoreException"/> when it gives no answer that can be used; a write may then have happened or not.</summary>
internal interface IObjectStore
{
    /// <summary>SendsBareTags: entity tags in conditions have no quotes. Ceph's gateway, as it is in Debian 12, compares them with the octets between the quotes alone. <see cref="BucketProbe"/> finds out.</summary>
    bool SendsBareTags { get; set; }

    /// <summary>GetAsync reads an object; null when there is none. Of a longer one than <paramref name="maxLength"/> the beginning, one octet more than that.</summary>
    Task<StoredObject?> GetAsync(string key, int maxLength, CancellationToken cancellationToken);

    /// <summary>CreateAsync writes an object that must not be there; false when it is.</summary>
    Task<bool> CreateAsync(string key, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>ReplaceAsync writes an object over the one with this entity tag; false when that is not there any more.</summary>
    Task<bool> ReplaceAsync(string key, string tag, ReadOnlyMemory<byte> octets, ObjectKind kind, CancellationToken cancellationToken);

    /// <summary>ListAsync gives the keys that begin so, at most a thousand.</summary>
    Task<IReadOnlyList<string>> ListAsync(string prefix, CancellationToken cancellationToken);

    /// <summary>DeleteAsync removes an object, if it is there.</summary>
    Task DeleteAsync(string key, CancellationToken cancellationToken);
}
