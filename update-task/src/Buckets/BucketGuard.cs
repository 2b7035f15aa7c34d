using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Protects the log against a second history by means of the bucket, if there is one. At a start and at a takeover, the guard compares the
/// database with the bucket. Where tasks share no folder (<see cref="BucketOptions.KeepsMark"/>), no epoch is signed before the bucket has
/// the epoch's mark. One thread at a time.
/// </summary>
internal sealed class BucketGuard : IDisposable
{
    // If the bucket's answer is optional, a start waits for it no longer than this.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly BoardFolder _board;
    private readonly ILogger<BucketGuard> _logger;
    private readonly S3ObjectStore? _bucket;
    private readonly SharedMark? _mark;
    private bool _isProbed;

    public BucketGuard(IOptions<BucketOptions> options, BoardFolder board, ILogger<BucketGuard> logger)
    {
        _board = board;
        _logger = logger;
        if (options.Value.Name.Length > 0)
        {
            _bucket = new S3ObjectStore(options.Value);
            _mark = options.Value.KeepsMark ? new SharedMark(_bucket) : null;
        }
    }

    /// <summary>Whether the bucket keeps the mark that tasks share. That mark then overrides the mark in each task's folder.</summary>
    public bool KeepsMark => _mark is not null;

    /// <summary>
    /// Reads the bucket's mark and checkpoint. Throws <see cref="ObjectStoreException"/> if a required answer does not come, and
    /// <see cref="StartupException"/> if the storage cannot keep a mark, or contains something else in its place.
    /// </summary>
    public async Task<BucketStanding> ReadAsync(CancellationToken cancellationToken)
    {
        if (_bucket is null)
        {
            return BucketStanding.None;
        }
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(KeepsMark ? Timeout.InfiniteTimeSpan : s_patience);
        try
        {
            return await ReadAsync(_bucket, patience.Token);
        }
        catch (BucketConflictException e)
        {
            throw new StartupException(ExitCodes.Configuration, $"{e.Message} Nothing was signed.", e);
        }
        catch (Exception e) when (!KeepsMark && (e is ObjectStoreException || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)))
        {
            // The bucket's answer is optional here: the folder's own mark must suffice, as without a bucket.
            _logger.BucketFails(e.Message, e);
            return BucketStanding.None;
        }
    }

    private async Task<BucketStanding> ReadAsync(S3ObjectStore bucket, CancellationToken cancellationToken)
    {
        if (KeepsMark && !_isProbed)
        {
            await BucketProbe.RunAsync(bucket, cancellationToken);
            _isProbed = true;
        }
        // The checkpoint is read before the mark. Because the mark is stored before its checkpoint, the mark that is read is not behind the
        // checkpoint.
        StoredObject? checkpoint = await bucket.GetAsync(BucketBoard.CheckpointKey, SignedNote.MaxBytes, cancellationToken);
        HighWaterMark? mark = _mark is null ? null : await _mark.ReadAsync(cancellationToken);
        return new BucketStanding(mark, checkpoint?.Octets);
    }

    /// <summary>
    /// Makes an epoch's mark durable in the bucket, if the bucket keeps one. Throws <see cref="ObjectStoreException"/> if the caller is to
    /// retry, and <see cref="StorageFencedException"/> if another task leads now. Throws <see cref="StartupException"/> with exit code 4 if
    /// a task was about to sign another history.
    /// </summary>
    public async Task RaiseAsync(IPipelineStore store, Lease lease, EpochRow epoch, CancellationToken cancellationToken)
    {
        if (_mark is null)
        {
            return;
        }
        try
        {
            await _mark.RaiseAsync(new HighWaterMark(epoch.Epoch, epoch.RecordHash), cancellationToken);
            FailPoints.Hit(FailPoints.BucketMark);
        }
        catch (BucketConflictException e)
        {
            // If this task was paused until its lease ended, it finds its successor's mark here.
            StandingCheck.CheckHolder(await store.ReadHeadAsync(CancellationToken.None), lease);
            throw Rollback.DatabaseBehind(e.Message, _board);
        }
    }

    public void Dispose() => _bucket?.Dispose();
}
