using System.Globalization;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// SharedMark is the high-water mark in a bucket, for tasks that share no folder: the highest epoch that any of them was ever about to sign. One thread at a time; any number of them, on any machine, for one bucket.
/// </summary>
/// <remarks>
/// Invariant: it is only ever raised, by a write over exactly the mark that it was compared with. So of two tasks that have different records for one epoch one is refused before it signs, whatever each of them was told by its
/// database.
/// </remarks>
internal sealed class SharedMark
{
    /// <summary>Key of the object.</summary>
    public const string Key = ".high-water";

    private const int MaxLength = 256;
    private const int Attempts = 5;

    private readonly IObjectStore _bucket;

    // The last one that it said it has: it never has less.
    private HighWaterMark? _last;

    // Tag of that one, if it was given.
    private string? _tag;

    public SharedMark(IObjectStore bucket) => _bucket = bucket;

    /// <summary>ReadAsync gives the mark; null when there is none. Throws <see cref="ObjectStoreException"/>, and <see cref="BucketConflictException"/> for what is no mark, or less than there was.</summary>
    public async Task<HighWaterMark?> ReadAsync(CancellationToken cancellationToken) => (await GetAsync(cancellationToken)).Mark;

    /// <summary>
    /// RaiseAsync makes an epoch's mark durable before the epoch is signed; nothing happens when it is the mark already. Throws <see cref="ObjectStoreException"/>: it may be raised or not, and is tried again;
    /// <see cref="BucketConflictException"/>: another task was about to sign a later epoch, or another record for this one.
    /// </summary>
    public async Task RaiseAsync(HighWaterMark mark, CancellationToken cancellationToken)
    {
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            // What was there last is tried first: mostly nobody else has been here.
            (HighWaterMark? present, string tag) = attempt == 1 && _tag is not null && _last?.Epoch < mark.Epoch ? (_last, _tag) : await GetAsync(cancellationToken);
            if (present is not null && present.Names(mark.Epoch, mark.RecordHash.Span))
            {
                return;
            }
            if (present is not null && present.Epoch >= mark.Epoch)
            {
                throw new BucketConflictException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"The high-water mark in the bucket names {(present.Epoch == mark.Epoch ? "another record for epoch" : "epoch")} {present.Epoch}, the database's next to sign is {mark.Epoch}."));
            }
            if (present is null
                ? await _bucket.CreateAsync(Key, mark.Encode(), ObjectKind.Mark, cancellationToken)
                : await _bucket.ReplaceAsync(Key, tag, mark.Encode(), ObjectKind.Mark, cancellationToken))
            {
                // What a bucket says of a write is worth what it gives, which the next attempt looks at.
                _last = mark;
            }
            _tag = null;
        }
        throw new ObjectStoreException("The high-water mark in the bucket changes beneath each attempt to raise it, or its entity tag is never the one that it gave.");
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
            throw new BucketConflictException(string.Create(CultureInfo.InvariantCulture, $"The bucket had a high-water mark of epoch {_last.Epoch}, and has {(mark is null ? "none" : $"one of epoch {mark.Epoch}")}."));
        }
        (_last, _tag) = (mark, stored?.Tag);
        return (mark, stored?.Tag ?? "");
    }
}
