namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Says that a bucket contains something other than this log's board, or does not honor conditional writes. The task overwrites nothing in
/// the bucket; a retry succeeds only after an operator has intervened.
/// </summary>
internal sealed class BucketConflictException(string message) : Exception(message);
