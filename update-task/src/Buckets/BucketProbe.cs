namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Finds out whether a bucket's storage honors conditional writes, and in which form it accepts entity tags. A storage that ignores the
/// conditions would let an old checkpoint overwrite a newer one.
/// </summary>
internal static class BucketProbe
{
    /// <summary>The object key of the test object.</summary>
    public const string Key = ".probe";

    // An entity tag that no object has: zeros in the place of an MD5 hash.
    private const string NoTag = "\"00000000000000000000000000000000\"";

    /// <summary>
    /// Probes the storage and sets the property <see cref="S3ObjectStore.SendsBareTags"/> of its client. Throws
    /// <see cref="BucketConflictException"/> if the storage ignores the conditions of writes, and <see cref="ObjectStoreException"/> if the
    /// storage gives no usable answer.
    /// </summary>
    public static async Task RunAsync(S3ObjectStore bucket, CancellationToken cancellationToken)
    {
        byte[] octets = [.. "Written to see whether conditions of writes are kept.\n"u8];
        Task<bool> CreateAsync() => bucket.CreateAsync(Key, octets, ObjectKind.Checkpoint, cancellationToken);
        Task<bool> ReplaceAsync(string tag) => bucket.ReplaceAsync(Key, tag, octets, ObjectKind.Checkpoint, cancellationToken);
        async Task<string> TagAsync() =>
            (await bucket.GetAsync(Key, octets.Length, cancellationToken))?.Tag
                ?? throw new ObjectStoreException($"The bucket does not return the object {Key} that it has just stored.");

        _ = await CreateAsync();
        if (await CreateAsync())
        {
            throw Ignored();
        }
        bucket.SendsBareTags = false;
        foreach (bool isBare in (bool[])[false, true])
        {
            bucket.SendsBareTags = isBare;
            // The probe sends a wrong entity tag first. If the storage ignores a condition with this form of tags, the write succeeds, and
            // the task must not use this form for any other write.
            if (await ReplaceAsync(NoTag))
            {
                throw Ignored();
            }
            if (await ReplaceAsync(await TagAsync()))
            {
                return;
            }
        }
        bucket.SendsBareTags = false;
        throw new ObjectStoreException(
            "The bucket refuses to replace an object with the entity tag that it returned: another task tries this at the same time, or the bucket cannot be used.");
    }

    private static BucketConflictException Ignored() =>
        new(
            "The storage ignores If-None-Match or If-Match in writes: two tasks could overwrite each other's checkpoints. Use storage with conditional writes.");
}
