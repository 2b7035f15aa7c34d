using Microsoft.Extensions.Options;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Periods;

/// <summary>
/// Does the work of a <see cref="Lead"/> on periods, except making their epochs (docs/spec/periods.md). It prepares the next period in
/// advance, says when it begins, and destroys periods that are no longer served. One thread.
/// </summary>
internal sealed class PeriodKeeper
{
    // When a switch is due, an epoch waits until at most this many chunks are staged. If more chunks remain, they are staged between
    // epochs, with pauses. An epoch also waits for twice as many copies as the last epoch added leaves, which catches up with any load.
    private const int ChunksPerDueEpoch = 4;

    private readonly EpochPublisher _publisher;
    private readonly PeriodOptions _options;
    private readonly TaskReport _report;
    private readonly PeriodDestroyer _destroyer;
    private CopyStager? _stager;
    private bool _isOpen;
    private bool _isComplete;
    private bool _hasMuch;
    private ulong? _announcedMs;

    /// <summary>Makes a keeper for one lead.</summary>
    public PeriodKeeper(EpochPublisher publisher, IOptions<PeriodOptions> options, TaskReport report)
    {
        _publisher = publisher;
        _options = options.Value;
        _report = report;
        _destroyer = new PeriodDestroyer(publisher, report);
    }

    /// <summary>The search for values in ended periods of users who are to be erased.</summary>
    public LeftUserSearch LeftUsers { get; } = new();

    /// <summary>
    /// Begins to prepare the next period when it is time. Returns whether the next epoch will be the next period's first epoch, provided
    /// that the period's copies are complete (<see cref="CompleteAsync"/>).
    /// </summary>
    public async Task<bool> IsSwitchDueAsync(Lead lead, ulong nowMs, CancellationToken cancellationToken)
    {
        LogSession session = lead.Session;
        bool isRequested = await lead.Store.ReadRequestedSwitchAsync(cancellationToken) == session.Period.Period + 1;
        if (_stager is null or { IsInDoubt: true })
        {
            PeriodRow? next = _isOpen && _stager is null ? null : PeriodRows.Next(await lead.Store.ReadPeriodsAsync(cancellationToken));
            if (next is null && session.Schedule.PrepareAt(session.PeriodStartMs, isRequested) <= nowMs)
            {
                next = await BeginAsync(lead);
            }
            _stager = next is null ? null : await CopyStager.OpenAsync(lead, _publisher, next, CopiesPerChunk(lead), cancellationToken);
            _isOpen = true;
            Tell(lead);
        }
        ulong? switchAt = session.Schedule.SwitchAt(session.PeriodStartMs, isRequested);
        Announce(lead, switchAt);
        return _stager is not null && switchAt <= nowMs;
    }

    /// <summary>
    /// Stages the remaining rows, as far as an epoch may wait for them. Returns the number of rows with which the next period begins, or
    /// null if its copies are not complete.
    /// </summary>
    public async Task<int?> CompleteAsync(Lead lead, CancellationToken cancellationToken)
    {
        int left = (_hasMuch ? 0 : ChunksPerDueEpoch) + (2 * lead.Session.LastLeaves / CopiesPerChunk(lead));
        for (; left > 0; left--)
        {
            if (!await StageAsync(lead, cancellationToken))
            {
                return _stager!.Rows;
            }
        }
        _hasMuch = true;
        return null;
    }

    /// <summary>
    /// Does a small piece of the work that can be done at any time between epochs. Returns false if there was nothing to do.
    /// </summary>
    public async Task<bool> WorkAsync(Lead lead, CancellationToken cancellationToken) =>
        await LeftUsers.WorkAsync(lead, cancellationToken) || (_stager is { IsInDoubt: false } && await StageAsync(lead, cancellationToken)) || await _destroyer.WorkAsync(lead, cancellationToken);

    /// <summary>
    /// Removes from the next period the keys of users who are about to be erased. Does nothing if no period is being prepared.
    /// </summary>
    public Task TakeOutAsync(Lead lead, IReadOnlyCollection<UpdateKey> keys, CancellationToken cancellationToken) =>
        keys.Count > 0 && _stager is not null ? _stager.TakeOutAsync(lead, keys, cancellationToken) : Task.CompletedTask;

    /// <summary>Records that the next period has begun.</summary>
    public void Switched(Lead lead)
    {
        _report.Log.PeriodBegan(lead.Session.Period.Period, lead.Session.Last.Epoch, lead.Session.Period.Copies ?? 0);
        _stager = null;
        _isComplete = false;
        _hasMuch = false;
        _destroyer.Restart();
        Tell(lead);
    }

    private int CopiesPerChunk(Lead lead) => _options.CopiesPerChunk ?? (lead.Store.WritesAlone ? 128 : 1024);

    private async Task<bool> StageAsync(Lead lead, CancellationToken cancellationToken)
    {
        int before = _stager!.Rows;
        bool any = await _stager.WorkAsync(lead, cancellationToken);
        int staged = _stager.Rows - before;
        // A chunk that is not full was the last chunk. If every epoch adds copies and leaves no time for a second chunk, only this rule
        // detects that the staging has caught up.
        _hasMuch &= any && (staged == 0 || staged >= CopiesPerChunk(lead));
        if (!any && !_isComplete)
        {
            _isComplete = true;
            _report.Log.PeriodStaged(_stager.Period, _stager.Rows, lead.Session.Last.Epoch);
        }
        Tell(lead);
        return any;
    }

    private async Task<PeriodRow> BeginAsync(Lead lead)
    {
        LogSession session = lead.Session;
        ReadOnlyMemory<byte> logId = session.Identity.Anchor.LogId;
        byte[] wrapped;
        // The stored secrets are read anew, because a rotation may have rewrapped them since the session began. The key that wraps them
        // also wraps the next period's secrets.
        PeriodRow stored = PeriodRows.Current(await lead.Store.ReadPeriodsAsync(CancellationToken.None));
        using (DirectorySecrets current = session.Identity.Secrets.UnwrapPeriod(stored.WrappedSecrets.Span, session.Period.Period, logId.Span, out KeyId by))
        using (DirectorySecrets secrets = current.NextPeriod())
        {
            wrapped = session.Identity.Secrets.WrapPeriod(secrets, session.Period.Period + 1, logId.Span, by);
        }
        PeriodRow next = await lead.Store.BeginPeriodAsync(lead.Lease, session.Period.Period + 1, wrapped, CancellationToken.None);
        FailPoints.Hit(FailPoints.PeriodSecrets);
        _report.Log.PeriodPrepared(next.Period);
        return next;
    }

    // Tells the operator the time of a switch long before. A switch costs disk and processor time, and owners who are away for longer than
    // the served periods lose their guarantee.
    private void Announce(Lead lead, ulong? switchAtMs)
    {
        if (switchAtMs == _announcedMs)
        {
            return;
        }
        _announcedMs = switchAtMs;
        DateTimeOffset? at = switchAtMs is { } ms ? DateTimeOffset.FromUnixTimeMilliseconds((long)ms) : null;
        if (at is { } time)
        {
            _report.Log.PeriodAnnounced(lead.Session.Period.Period + 1, time);
        }
        _report.NextPeriod(at);
    }

    private void Tell(Lead lead) => _report.Period(lead.Session.Period.Period, _stager?.Rows);
}
