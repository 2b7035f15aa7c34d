using System.Globalization;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Keeps the high-water mark in a bucket, for tasks that share no folder: the highest epoch that any of them was ever about to sign. One
/// thread at a time; any number of instances, on any machines, may use one bucket.
/// </summary>
/// <remarks>
/// Invariant: the mark is only ever raised, by a write over exactly the mark that it was compared with. If two tasks have different records
/// for one epoch, one of them is therefore refused before it signs, whatever its database says.
/// </remarks>
internal sealed class SharedMark
{
    /// <summary>The key of the object.</summary>
    public const string Key = ".high-water";

    private const int MaxLength = 256;
    private const int Attempts = 5;

    private readonly IObjectStore _bucket;

    // The last mark that the bucket returned. The bucket never has a lower mark later.
    private HighWaterMark? _last;

    // The entity tag of that mark, if known.
    private string? _tag;

    public SharedMark(IObjectStore bucket) => _bucket = bucket;

    /// <summary>
    /// Reads the mark; returns null if the mark does not exist. Throws <see cref="ObjectStoreException"/> if the bucket gives no usable
    /// answer, and <see cref="BucketConflictException"/> if the object is not a mark or the mark is lower than before.
    /// </summary>
    public async Task<HighWaterMark?> ReadAsync(CancellationToken cancellationToken) => (await GetAsync(cancellationToken)).Mark;

    /// <summary>
    /// Makes an epoch's mark durable before the epoch is signed; does nothing if the bucket already has this mark. Throws
    /// <see cref="ObjectStoreException"/> if it is not known whether the mark was raised; the caller must then retry. Throws
    /// <see cref="BucketConflictException"/> if another task was about to sign a later epoch, or this epoch with another record.
    /// </summary>
    public async Task RaiseAsync(HighWaterMark mark, CancellationToken cancellationToken)
    {
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            // The first attempt assumes that the bucket still has the last known mark: usually no other task has changed it.
            (HighWaterMark? present, string tag) = attempt == 1 && _tag is not null && _last?.Epoch < mark.Epoch ? (_last, _tag) : await GetAsync(cancellationToken);
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
        throw new ObjectStoreException("The high-water mark in the bucket changes during each attempt to raise it, or its entity tag is never the one that the bucket returned.");
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
            throw new BucketConflictException(string.Create(CultureInfo.InvariantCulture, $"The bucket had a high-water mark of epoch {_last.Epoch}, and now has {(mark is null ? "none" : $"one of epoch {mark.Epoch}")}."));
        }
        (_last, _tag) = (mark, stored?.Tag);
        return (mark, stored?.Tag ?? "");
    }
}
