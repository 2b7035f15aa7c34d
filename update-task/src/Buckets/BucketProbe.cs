namespace Optiks.UpdateTask.Buckets;

/// <summary>BucketProbe finds out whether a storage keeps the conditions of writes. One that takes no notice of them would let an old checkpoint be written over a newer one.</summary>
internal static class BucketProbe
{
    private const string Key = ".probe";

    // Of no object: an MD5 of zeros.
    private const string NoTag = "\"00000000000000000000000000000000\"";

    /// <summary>RunAsync throws <see cref="BucketConflictException"/> for one that does not keep them, and <see cref="ObjectStoreException"/>.</summary>
    public static async Task RunAsync(IObjectStore bucket, CancellationToken cancellationToken)
    {
        byte[] octets = [.. "Written to see whether conditions of writes are kept.\n"u8];
        _ = await bucket.CreateAsync(Key, octets, ObjectKind.Checkpoint, cancellationToken);
        if (await bucket.CreateAsync(Key, octets, ObjectKind.Checkpoint, cancellationToken) || await bucket.ReplaceAsync(Key, NoTag, octets, ObjectKind.Checkpoint, cancellationToken))
        {
            throw new BucketConflictException("The storage takes no notice of If-None-Match or If-Match when it writes: two tasks could overwrite each other's checkpoints. Use one that has conditional writes.");
        }
    }
}
