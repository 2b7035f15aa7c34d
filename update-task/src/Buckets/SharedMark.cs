using System.Globalization;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Keeps the high-water mark in a bucket, for tasks that share no folder. The mark names the highest epoch that any task of the log was
/// ever about to sign. Only one thread at a time may use an instance. Many instances, on one machine or several, may use the same bucket at
/// the same time.
/// </summary>
/// <remarks>
/// Invariant: the mark never becomes lower, because each write replaces only the mark that the new mark was compared with. If two tasks
/// have different records for the same epoch, only one task can raise the mark. The other task is refused before it signs, whatever its
/// database contains.
/// </remarks>
internal sealed class SharedMark
{
    /// <summary>The object key of the mark in the bucket.</summary>
    public const string Key = ".high-water";

    private const int MaxLength = 256;
    private const int Attempts = 5;

    private readonly S3ObjectStore _bucket;

    // The last mark that the bucket returned or accepted. If the bucket later returns a lower mark, that is a conflict.
    private HighWaterMark? _last;

    // The entity tag of the last mark; null if it is not known.
    private string? _tag;

    public SharedMark(S3ObjectStore bucket) => _bucket = bucket;

    /// <summary>
    /// Reads the mark; returns null if the bucket has no mark. Throws <see cref="ObjectStoreException"/> if the bucket gives no usable
    /// answer. Throws <see cref="BucketConflictException"/> if the object does not contain a mark, or if the mark is lower than the last
    /// mark that this instance knows.
    /// </summary>
    public async Task<HighWaterMark?> ReadAsync(CancellationToken cancellationToken) => (await GetAsync(cancellationToken)).Mark;

    /// <summary>
    /// Writes an epoch's mark to the bucket, before the epoch is signed. Does nothing if the bucket already has this mark. Throws
    /// <see cref="ObjectStoreException"/> if it is not known whether the bucket has the mark; the caller must then retry. Throws
    /// <see cref="BucketConflictException"/> if the bucket's mark names a later epoch, or another record for this epoch.
    /// </summary>
    public async Task RaiseAsync(HighWaterMark mark, CancellationToken cancellationToken)
    {
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            // The first attempt assumes that the bucket still has the last known mark, because other tasks seldom change the mark.
            (HighWaterMark? present, string tag) = attempt == 1 && _tag is not null && _last?.Epoch < mark.Epoch
                ? (_last, _tag)
                : await GetAsync(cancellationToken);
            if (present is not null && present.Names(mark.Epoch, mark.RecordHash.Span))
            {
                return;
            }
            if (present is not null && present.Epoch >= mark.Epoch)
            {
                throw new BucketConflictException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"The high-water mark in the bucket names {(present.Epoch == mark.Epoch ? "another record for epoch" : "epoch")} {present.Epoch}; the database's next epoch to sign is {mark.Epoch}."));
            }
            if (present is null
                ? await _bucket.CreateAsync(Key, mark.Encode(), ObjectKind.Mark, cancellationToken)
                : await _bucket.ReplaceAsync(Key, tag, mark.Encode(), ObjectKind.Mark, cancellationToken))
            {
                // The task does not trust the bucket's reply to a write, so the next attempt reads the mark back.
                _last = mark;
            }
            _tag = null;
        }
        throw new ObjectStoreException(
            "The high-water mark in the bucket changes during each attempt to raise it, or its entity tag is never the one that the bucket returned.");
    }

    private async Task<(HighWaterMark? Mark, string Tag)> GetAsync(CancellationToken cancellationToken)
    {
        StoredObject? stored = await _bucket.GetAsync(Key, MaxLength, cancellationToken);
        HighWaterMark? mark = null;
        if (stored is not null)
        {
            try
            {
                mark = HighWaterMark.Parse(stored.Octets, $"The bucket's {Key}");
            }
            catch (InvalidDataException e)
            {
                throw new BucketConflictException(e.Message);
            }
        }
        if (_last is not null && (mark is null || mark.Epoch < _last.Epoch))
        {
            throw new BucketConflictException(
                string.Create(CultureInfo.InvariantCulture,
                    $"The bucket had a high-water mark of epoch {_last.Epoch}, and now has {(mark is null ? "none" : $"one of epoch {mark.Epoch}")}."));
        }
        (_last, _tag) = (mark, stored?.Tag);
        return (mark, stored?.Tag ?? "");
    }
}
