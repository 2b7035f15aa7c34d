using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// Uses the bucket, if one is configured, to protect the log against a second history. The guard reads the bucket's checkpoint at each
/// start and takeover, so that the task can compare it with the database. If tasks share no folder (the option
/// <see cref="BucketOptions.KeepsMark"/>), the task signs no epoch before the bucket has the epoch's high-water mark. Only one thread at a
/// time may use an instance.
/// </summary>
internal sealed class BucketGuard : IDisposable
{
    // If tasks share a folder, the bucket's answer is optional, and a task that starts waits for the answer no longer than this time.
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

    /// <summary>
    /// Whether the bucket keeps the high-water mark that all tasks share. If so, the bucket's mark overrides the mark in each task's
    /// folder.
    /// </summary>
    public bool KeepsMark => _mark is not null;

    /// <summary>
    /// Reads the high-water mark and the checkpoint from the bucket. Throws <see cref="ObjectStoreException"/> if the bucket keeps the mark
    /// and gives no usable answer. Throws <see cref="StartupException"/> if the storage ignores conditional writes, or if the mark's object
    /// contains something other than a mark, or a lower mark than before.
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
        catch (Exception e) when (!KeepsMark
            && (e is ObjectStoreException || (e is OperationCanceledException && !cancellationToken.IsCancellationRequested)))
        {
            // The bucket's answer is optional here, because the mark in the board's folder protects the log, as it does without a bucket.
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
        // The checkpoint is read before the mark. Every epoch's mark is stored before the epoch's checkpoint, so the mark that is read here
        // cannot be older than the checkpoint.
        StoredObject? checkpoint = await bucket.GetAsync(BucketBoard.CheckpointKey, SignedNote.MaxBytes, cancellationToken);
        HighWaterMark? mark = _mark is null ? null : await _mark.ReadAsync(cancellationToken);
        return new BucketStanding(mark, checkpoint?.Octets);
    }

    /// <summary>
    /// Raises the bucket's high-water mark to an epoch; does nothing if the bucket keeps no mark. Throws <see cref="ObjectStoreException"/>
    /// if the caller must retry, and <see cref="StorageFencedException"/> if another task holds the lease now. Throws
    /// <see cref="StartupException"/> with exit code 4 if the bucket's mark shows that a task was about to sign another history.
    /// </summary>
    public async Task RaiseAsync(PipelineStore store, Lease lease, EpochRow epoch, CancellationToken cancellationToken)
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
            // If this task was paused until its lease ended, the conflicting mark may be its successor's mark, which is no second history.
            // In that case the next line throws an exception that makes this task a standby.
            StandingCheck.CheckHolder(await store.ReadHeadAsync(CancellationToken.None), lease);
            throw Rollback.DatabaseBehind(e.Message, _board);
        }
    }

    public void Dispose() => _bucket?.Dispose();
}
