using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Commits epochs to the database during one lease. If the connection is lost during a commit, finds out whether the epoch was committed.
/// </summary>
internal sealed class EpochCommitter
{
    private readonly LeasedLog _log;
    private readonly EpochOptions _options;
    private readonly TaskReport _report;
    private readonly TimeProvider _time;

    public EpochCommitter(LeasedLog log, EpochOptions options, TaskReport report, TimeProvider time)
    {
        _log = log;
        _options = options;
        _report = report;
        _time = time;
    }

    /// <summary>
    /// Commits the epoch, and returns whether the database has it. A shutdown does not cancel the commit, because the result of the commit
    /// would then be unknown. Throws <see cref="StorageFencedException"/> if another task holds the lease now.
    /// </summary>
    public async Task<bool> CommitAsync(EpochCommit commit) =>
        await _log.Store.CommitEpochAsync(_log.Lease, commit, CancellationToken.None) switch
        {
            CommitResult.Committed => true,
            CommitResult.Fenced => throw new StorageFencedException($"The head changed before epoch {commit.Epoch.Epoch} was committed."),
            _ => await ResolveAsync(commit.Epoch),
        };

    // Asks the database whether an epoch was committed, after the connection was lost during the commit. The task must not do anything else
    // before the database has answered.
    private async Task<bool> ResolveAsync(EpochRow epoch)
    {
        _report.Log.CommitUnknown(epoch.Epoch);
        while (true)
        {
            _log.Keeper.ThrowUnlessHeld();
            try
            {
                if (await _log.Store.TryReadEpochAsync(epoch.Epoch, CancellationToken.None) is not { } row)
                {
                    return false;
                }
                // The epoch's row may exist on one database server only, so that a failover would lose it. The renewal of the lease is a
                // later transaction. If the database confirms that transaction, the epoch is safe as well.
                if (!await _log.Store.RenewLeaseAsync(_log.Lease, _options.LeaseDuration, CancellationToken.None))
                {
                    throw new StorageFencedException($"The lease was lost before it was known whether epoch {epoch.Epoch} was committed.");
                }
                return row.RecordHash.Span.SequenceEqual(epoch.RecordHash.Span)
                    ? true
                    : throw new StorageFencedException($"Another task has committed epoch {epoch.Epoch}.");
            }
            catch (StorageUnavailableException e)
            {
                _report.DatabaseUnavailable(e);
                await Task.Delay(_options.EpochInterval, _time, _log.Keeper.Lost).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }
}
