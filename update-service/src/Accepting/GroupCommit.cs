using System.Diagnostics;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>GroupCommit makes units of many callers durable in one transaction. Any thread.</summary>
internal sealed class GroupCommit
{
    private readonly RollbackGuard _guard;
    private readonly CommitHealth _health;
    private readonly HostFailure _failure;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly ILogger<GroupCommit> _logger;

    public GroupCommit(RollbackGuard guard, CommitHealth health, HostFailure failure, IOptions<QueueOptions> options, UpdateMetrics metrics, ILogger<GroupCommit> logger)
    {
        _guard = guard;
        _health = health;
        _failure = failure;
        _options = options.Value;
        _metrics = metrics;
        _logger = logger;
    }

    /// <summary>
    /// RunAsync commits a group, and gives each unit its outcome. A group that fails for a reason that may be one unit's is halved until that unit is alone. Nothing is applied twice: whatever a failed
    /// call has stored all the same is known by its request ids.
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
            // A bug that a unit hits says nothing of the database.
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

    // One transaction. Units have their outcome when it returns, unless it returns what failed. Of those that were given to the store before, nobody may be told that nothing was stored.
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
            // Another database under the same name, or settings that lose commits: nothing here can mend that.
            state = CommitState.Unavailable;
            _logger.Stopped(e);
            _failure.Stop(e);
        }
#pragma warning disable CA1031 // Invariant 2 of CommitQueue: whatever failed, its callers get an answer and the loop goes on for the others.
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
