namespace Optiks.UpdateTask.Buckets;

/// <summary>BucketConflictException: a bucket holds something else than this log's board, or does not keep to the conditions of writes. Nothing in it is overwritten; trying again helps only after somebody looked.</summary>
internal sealed class BucketConflictException(string message) : Exception(message);
