namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Reports that a bucket contains something other than this log's board, or does not honor conditional writes. The task does not overwrite
/// the unexpected objects. A retry succeeds only after an operator has intervened.
/// </summary>
internal sealed class BucketConflictException(string message) : Exception(message);
