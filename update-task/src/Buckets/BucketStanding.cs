namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds a bucket's evidence of the log's progress.</summary>
/// <param name="Mark">The high-water mark that tasks share in the bucket; null if the mark does not exist or is not used.</param>
/// <param name="Checkpoint">The bytes of the unverified checkpoint; null if the checkpoint does not exist, or if the answer was optional
/// and did not come.</param>
internal sealed record BucketStanding(HighWaterMark? Mark, byte[]? Checkpoint)
{
    /// <summary>The standing when nothing is known.</summary>
    public static BucketStanding None { get; } = new(null, null);
}
