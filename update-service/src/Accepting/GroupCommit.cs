using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>Makes the units of many callers durable in one transaction. Thread-safe.</summary>
internal sealed class GroupCommit
{
    private readonly RollbackGuard _guard;
    private readonly CommitHealth _health;
    private readonly HostFailure _failure;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly ILogger<GroupCommit> _logger;

    public GroupCommit(RollbackGuard guard, CommitHealth health, HostFailure failure, IOptions<QueueOptions> options, UpdateMetrics metrics,
        ILogger<GroupCommit> logger)
    {
        _guard = guard;
        _health = health;
        _failure = failure;
        _options = options.Value;
        _metrics = metrics;
        _logger = logger;
    }

    /// <summary>
    /// Commits a group, and gives each unit its outcome. If a single unit may have caused a group's failure, the method halves the group
    /// until that unit is alone. No unit is stored twice: if a failed call stored a unit after all, the database recognizes the unit by its
    /// request ids.
    /// </summary>
    public async Task RunAsync(ArraySegment<QueuedUnit> group)
    {
        long start = Stopwatch.GetTimestamp();
        CommitState? health = null;
        var parts = new Stack<ArraySegment<QueuedUnit>>([group]);
        while (parts.TryPop(out ArraySegment<QueuedUnit> part))
        {
            if (part.Count < group.Count && Stopwatch.GetElapsedTime(start) > _options.MaxWait)
            {
                Answer(part, new CommitOutcome(CommitState.Unavailable));
                continue;
            }
            (CommitState state, Exception? fault) = await CommitPartAsync(part, isRepeated: part.Count < group.Count);
            // If one unit triggers a bug, the database may still be healthy, so the service stays ready after such a failure.
            if (health != CommitState.Decided && fault is null or StorageException)
            {
                health = state;
            }
            if (fault is not null && part.Count > 1)
            {
                if (part.Count == group.Count)
                {
                    _logger.GroupFailed(fault);
                }
                parts.Push(part[(part.Count / 2)..]);
                parts.Push(part[..(part.Count / 2)]);
            }
            else if (fault is not null)
            {
                _logger.CommitFailed(fault);
                Answer(part, new CommitOutcome(CommitState.Failed));
            }
        }
        if (health is { } last)
        {
            _health.Committed(last);
        }
    }

    // Commits a part of a group in one transaction. On return, every unit has its outcome, unless the method returns a fault. If
    // `isRepeated` is true, an earlier call may have stored the units, so the callers must not be told that nothing was stored.
    private async Task<(CommitState State, Exception? Fault)> CommitPartAsync(ArraySegment<QueuedUnit> part, bool isRepeated)
    {
        int updates = part.Sum(unit => unit.Updates);
        using Activity? span = _metrics.StartCommit(part, updates);
        long start = Stopwatch.GetTimestamp();
        CommitState state;
        Exception? fault = null;
        IReadOnlyList<AcceptResult> results = [];
        TimeSpan? retryAfter = null;
        try
        {
            if (_failure.HasFailed)
            {
                state = CommitState.Unavailable;
            }
            else if (await _guard.AcceptAsync([.. part.Select(unit => unit.Unit)]) is { } decided)
            {
                FailPoints.Hit(FailPoints.Accept);
                state = CommitState.Decided;
                results = decided;
            }
            else
            {
                state = CommitState.OlderCopy;
            }
        }
        catch (StorageUnavailableException e)
        {
            state = CommitState.Unavailable;
            retryAfter = e.RetryAfter;
            if (retryAfter is null)
            {
                _logger.CommitUnavailable(e);
            }
        }
        catch (StorageMisconfiguredException e)
        {
            // Either the database was replaced by another one with the same name, or its settings may lose commits. This service can repair
            // neither of these.
            state = CommitState.Unavailable;
            _logger.Stopped(e);
            _failure.Stop(e);
        }
#pragma warning disable CA1031 // By invariant 2 of CommitQueue, callers get an answer and the loop continues after any failure.
        catch (Exception e)
#pragma warning restore CA1031
        {
            state = CommitState.Failed;
            fault = e;
        }
        _metrics.Committed(span, state, part.Count, updates, Stopwatch.GetElapsedTime(start));
        if (fault is null)
        {
            for (int i = 0; i < part.Count; i++)
            {
                part[i].Answer(state == CommitState.Decided ? new CommitOutcome(state, results[i])
                    : isRepeated ? new CommitOutcome(CommitState.Unavailable)
                    : new CommitOutcome(state, RetryAfter: retryAfter));
            }
        }
        return (state, fault);
    }

    private static void Answer(ArraySegment<QueuedUnit> part, CommitOutcome outcome)
    {
        foreach (QueuedUnit unit in part)
        {
            unit.Answer(outcome);
        }
    }
}
