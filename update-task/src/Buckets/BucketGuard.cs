using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;

namespace Optiks.UpdateTask.Buckets;

/// <summary>
/// BucketGuard keeps the log from a second history by what the bucket has, where there is one: a start and a takeover compare the database with it, and where tasks share no folder (<see cref="BucketOptions.KeepsMark"/>) no
/// epoch is signed before the bucket has its mark. One thread at a time.
/// </summary>
internal sealed class BucketGuard : IDisposable
{
    // A bucket that need not answer holds up no start for longer.
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

    /// <summary>KeepsMark: the bucket has the mark that tasks share, and says more than the folder of each.</summary>
    public bool KeepsMark => _mark is not null;

    /// <summary>
    /// ReadAsync gives what the bucket says. Throws <see cref="ObjectStoreException"/> when it must say something and does not, <see cref="StartupException"/> for a storage that cannot keep a mark, or has something else for one.
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
            // The folder's own mark has to do, as without a bucket.
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
        // In this order: a checkpoint is there only after its mark.
        StoredObject? checkpoint = await bucket.GetAsync(BucketBoard.CheckpointKey, SignedNote.MaxBytes, cancellationToken);
        HighWaterMark? mark = _mark is null ? null : await _mark.ReadAsync(cancellationToken);
        return new BucketStanding(mark, checkpoint?.Octets);
    }

    /// <summary>
    /// RaiseAsync makes an epoch's mark durable in the bucket, if it keeps one. Throws <see cref="ObjectStoreException"/>: tried again; <see cref="StorageFencedException"/>: another task leads by now; <see cref="StartupException"/>
    /// with exit code 4: somebody was about to sign another history.
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
            // Whoever was paused past its lease sees what its successor did.
            StandingCheck.Holder(await store.ReadHeadAsync(CancellationToken.None), lease);
            throw Rollback.DatabaseBehind(e.Message, _board);
        }
    }

    public void Dispose() => _bucket?.Dispose();
}
