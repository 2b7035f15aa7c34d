using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Does the work for periods during one lease (docs/spec/periods.md), but does not make epochs. It prepares the next period in advance,
/// decides when that period is due, and destroys periods that are no longer served. Only one thread may use it.
/// </summary>
internal sealed class PeriodKeeper
{
    // When a switch is due, an epoch waits while at most this many chunks are staged. If more chunks remain, they are staged between
    // epochs, with pauses. In addition, each epoch waits for the staging of twice as many copies as the last epoch added leaves. The
    // staging therefore catches up under any load.
    private const int ChunksPerDueEpoch = 4;

    private readonly LeasedLog _log;
    private readonly PeriodOptions _options;
    private readonly TaskReport _report;
    private readonly PeriodDestroyer _destroyer;
    private CopyStager? _stager;
    private bool _isOpen;
    private bool _isComplete;
    private bool _hasMuch;
    private ulong? _switchAtMs;

    /// <summary>Makes a keeper that works as long as one lease lasts.</summary>
    public PeriodKeeper(LeasedLog log, PeriodOptions options, TaskReport report)
    {
        _log = log;
        _options = options;
        _report = report;
        _destroyer = new PeriodDestroyer(log, report);
        LeftUsers = new LeftUserSearch(log);
    }

    /// <summary>The search that finds values in ended periods, for users who are to be erased.</summary>
    public LeftUserSearch LeftUsers { get; }

    /// <summary>
    /// Begins to prepare the next period if the schedule says so. If the time at which the next period will begin has changed, writes the
    /// new time to the program's log and reports it. The caller must call this method before each epoch.
    /// </summary>
    public async Task PrepareAsync(ulong nowMs, CancellationToken cancellationToken)
    {
        LogSession session = _log.Session;
        bool isRequested = await _log.Store.ReadRequestedSwitchAsync(cancellationToken) == session.Period.Period + 1;
        if (_stager is null or { IsInDoubt: true })
        {
            PeriodRow? next = _isOpen && _stager is null ? null : PeriodRows.Next(await _log.Store.ReadPeriodsAsync(cancellationToken));
            if (next is null && session.Schedule.PrepareAt(session.PeriodStartMs, isRequested) <= nowMs)
            {
                next = await BeginAsync();
            }
            _stager = next is null ? null : await CopyStager.OpenAsync(_log, next, CopiesPerChunk, cancellationToken);
            _isOpen = true;
            Tell();
        }
        AnnounceSwitch(session.Schedule.SwitchAt(session.PeriodStartMs, isRequested));
    }

    /// <summary>
    /// Returns whether it is time for the next period's first epoch. The period's copies may still be incomplete; the method
    /// <see cref="CompleteAsync"/> completes them.
    /// </summary>
    public bool IsSwitchDue(ulong nowMs) => _stager is not null && _switchAtMs <= nowMs;

    /// <summary>
    /// Stages the remaining rows of copies, but no more than an epoch may wait for. Returns the number of rows with which the next period
    /// begins, or null if rows still remain.
    /// </summary>
    public async Task<int?> CompleteAsync(CancellationToken cancellationToken)
    {
        int left = (_hasMuch ? 0 : ChunksPerDueEpoch) + (2 * _log.Session.LastLeaves / CopiesPerChunk);
        for (; left > 0; left--)
        {
            if (!await StageAsync(cancellationToken))
            {
                return _stager!.Rows;
            }
        }
        _hasMuch = true;
        return null;
    }

    /// <summary>
    /// Does a small piece of the work for periods that can be done at any time between epochs. Returns false if there was nothing to do.
    /// </summary>
    public async Task<bool> WorkAsync(CancellationToken cancellationToken) =>
        await LeftUsers.WorkAsync(cancellationToken) || (_stager is { IsInDoubt: false } && await StageAsync(cancellationToken))
            || await _destroyer.WorkAsync(cancellationToken);

    /// <summary>
    /// Removes the keys of users who are about to be erased from the next period. Does nothing if no period is being prepared.
    /// </summary>
    public Task TakeOutAsync(IReadOnlyCollection<UpdateKey> keys, CancellationToken cancellationToken) =>
        keys.Count > 0 && _stager is not null ? _stager.TakeOutAsync(keys, cancellationToken) : Task.CompletedTask;

    /// <summary>Records that the next period has begun.</summary>
    public void Switched()
    {
        _report.Log.PeriodBegan(_log.Session.Period.Period, _log.Session.Last.Epoch, _log.Session.Period.Copies ?? 0);
        _stager = null;
        _isComplete = false;
        _hasMuch = false;
        _destroyer.Restart();
        Tell();
    }

    private int CopiesPerChunk => _options.CopiesPerChunk ?? (_log.Store.WritesAlone ? 128 : 1024);

    private async Task<bool> StageAsync(CancellationToken cancellationToken)
    {
        int before = _stager!.Rows;
        bool any = await _stager.WorkAsync(cancellationToken);
        int staged = _stager.Rows - before;
        // If a chunk is not full, the staging has caught up. This rule is needed because every epoch may add copies and leave time for only
        // one chunk. Without the rule, the staging would then never find that no copy is left to stage.
        _hasMuch &= any && (staged == 0 || staged >= CopiesPerChunk);
        if (!any && !_isComplete)
        {
            _isComplete = true;
            _report.Log.PeriodStaged(_stager.Period, _stager.Rows, _log.Session.Last.Epoch);
        }
        Tell();
        return any;
    }

    private async Task<PeriodRow> BeginAsync()
    {
        LogSession session = _log.Session;
        ReadOnlyMemory<byte> logId = session.Identity.Anchor.LogId;
        byte[] wrapped;
        // The current period's wrapped secrets are read from the database again, because a rotation of the key-encryption key may have
        // rewrapped them since the session began. The key that wraps them now also wraps the next period's secrets.
        PeriodRow stored = PeriodRows.Current(await _log.Store.ReadPeriodsAsync(CancellationToken.None));
        using (DirectorySecrets current = session.Identity.Secrets.UnwrapPeriod(
            stored.WrappedSecrets.Span, session.Period.Period, logId.Span, out KeyId by))
        using (DirectorySecrets secrets = current.NextPeriod())
        {
            wrapped = session.Identity.Secrets.WrapPeriod(secrets, session.Period.Period + 1, logId.Span, by);
        }
        PeriodRow next = await _log.Store.BeginPeriodAsync(_log.Lease, session.Period.Period + 1, wrapped, CancellationToken.None);
        FailPoints.Hit(FailPoints.PeriodSecrets);
        _report.Log.PeriodPrepared(next.Period);
        return next;
    }

    // Tells the operator long in advance when a switch will happen. The operator needs to know, because a switch costs disk space and
    // processor time. Also, owners who do not check their keys for longer than a period is served lose the guarantee that these checks
    // give.
    private void AnnounceSwitch(ulong? atMs)
    {
        if (atMs == _switchAtMs)
        {
            return;
        }
        _switchAtMs = atMs;
        DateTimeOffset? at = atMs is { } ms ? DateTimeOffset.FromUnixTimeMilliseconds((long)ms) : null;
        if (at is { } time)
        {
            _report.Log.PeriodAnnounced(_log.Session.Period.Period + 1, time);
        }
        _report.NextPeriod(at);
    }

    private void Tell() => _report.Period(_log.Session.Period.Period, _stager?.Rows);
}
