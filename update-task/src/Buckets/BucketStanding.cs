namespace Optiks.UpdateTask.Buckets;

/// <summary>BucketStanding is what a bucket says of how far the log is.</summary>
/// <param name="Mark">The high-water mark that tasks share there; null: there is none, or it is not looked for.</param>
/// <param name="Checkpoint">Octets of the checkpoint, which nobody verified; null: there is none, or the bucket did not answer and need not.</param>
internal sealed record BucketStanding(HighWaterMark? Mark, byte[]? Checkpoint)
{
    /// <summary>None: nothing is known.</summary>
    public static BucketStanding None { get; } = new(null, null);
}
