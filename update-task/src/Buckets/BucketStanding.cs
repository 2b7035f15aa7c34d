namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds what a bucket shows about how far the log has progressed.</summary>
/// <param name="Mark">The high-water mark that tasks share in the bucket; null if the bucket has no mark, or if tasks share a folder
/// instead.</param>
/// <param name="Checkpoint">The bytes of the bucket's checkpoint, which are not verified yet; null if the bucket has no checkpoint, or if
/// an optional answer did not come.</param>
internal sealed record BucketStanding(HighWaterMark? Mark, byte[]? Checkpoint)
{
    /// <summary>The value for a bucket about which nothing is known: no mark and no checkpoint.</summary>
    public static BucketStanding None { get; } = new(null, null);
}
