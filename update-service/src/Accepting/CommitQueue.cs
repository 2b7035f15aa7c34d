using System.Diagnostics;
using System.Threading.Channels;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// CommitQueue commits the updates of many callers together: one loop takes whatever waits and makes it durable in one transaction, while the next group forms. No timer: a lone
/// caller does not wait for others. Large groups are committed beside each other, if the store gains by it.
/// </summary>
/// <remarks>
/// Thread safety: <see cref="TryEnqueue"/> from any thread. Invariants: (1) a unit's outcome is set after the transaction that holds it has ended, never before; (2) every unit that
/// was taken gets an outcome, at shutdown too, and soon: the store's time limit ends a commit, and what waited too long behind one is given back without another; (3) units are
/// given to the store in the order in which they were taken, and none of those whose commits overlap had an outcome when another was taken; (4) what a unit makes the store throw fails that
/// unit alone. A caller that goes away does not take its unit back: it may still be committed, which the caller learns by its request id.
/// </remarks>
internal sealed class CommitQueue : IHostedService
{
    // Two copy while the third is judged. Each holds its updates in memory until it is answered, as the queue does.
    private const int MaxUnderway = 3;

    private readonly IAcceptStore _store;
    private readonly RollbackGuard _guard;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly HostFailure _failure;
    private readonly ILogger<CommitQueue> _logger;
    private readonly Channel<QueuedUnit> _channel;
    private readonly CommitHealth _health;
    private readonly TimeSpan _maxWait;
    private Task _loop = Task.CompletedTask;

    public CommitQueue(
        IAcceptStore store,
        RollbackGuard guard,
        IOptions<QueueOptions> options,
        UpdateMetrics metrics,
        CommitHealth health,
        HostFailure failure,
        TimeProvider time,
        ILogger<CommitQueue> logger)
    {
        _store = store;
        _guard = guard;
        _options = options.Value;
        _metrics = metrics;
        _health = health;
        _failure = failure;
        _logger = logger;
        _maxWait = TimeSpan.FromSeconds(_options.MaxWaitSeconds);
        _channel = Channel.CreateBounded<QueuedUnit>(new BoundedChannelOptions(_options.QueuedCallers) { SingleReader = true });
        Space = new QueueSpace(_options.QueuedOctets, time);
        metrics.ObserveQueue(() => _channel.Reader.Count, () => Space.Used);
    }

    /// <summary>Space that requests take from for each octet that has come, until they are answered.</summary>
    public QueueSpace Space { get; }

    /// <summary>TryEnqueue takes a unit, whose caller holds a share of <see cref="Space"/>; false when the queue is full or the host stops, and then nothing of it is stored.</summary>
    public bool TryEnqueue(QueuedUnit unit) => _channel.Writer.TryWrite(unit);

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _loop = Task.Run(CommitAllAsync, CancellationToken.None);
        return Task.CompletedTask;
    }

    /// <summary>StopAsync commits what waits. The server stops before it, so that callers still get their answers.</summary>
    public Task StopAsync(CancellationToken cancellationToken)
    {
        _channel.Writer.TryComplete();
        return _loop.WaitAsync(cancellationToken);
    }

    private async Task CommitAllAsync()
    {
        var underway = new List<Task>();
        while (await _channel.Reader.WaitToReadAsync())
        {
            var group = new List<QueuedUnit>();
            int updates = 0;
            long octets = 0;
            while (updates < _options.CommitUpdates && octets < _options.CommitOctets && _channel.Reader.TryRead(out QueuedUnit? unit))
            {
                if (unit.Age > _maxWait)
                {
                    _metrics.Overloaded();
                    unit.Answer(new CommitOutcome(CommitState.Expired));
                    continue;
                }
                group.Add(unit);
                updates += unit.Updates;
                octets += unit.Octets;
            }
            if (group.Count > 0)
            {
                Task commit = CommitAsync(group.ToArray());
                underway.Add(commit);
                bool isLarge = updates >= _store.ConcurrentUpdates;
                if (!isLarge || underway.Count == MaxUnderway)
                {
                    Task ended = isLarge ? await Task.WhenAny(underway) : commit;
                    await ended;
                    _ = underway.Remove(ended);
                }
            }
        }
        await Task.WhenAll(underway);
    }

    // Invariant 4: a group that fails for a reason that may be one unit's is halved until that unit is alone. Nothing is applied twice: whatever a failed call has stored all the same is known by
    // its request ids.
    private async Task CommitAsync(ArraySegment<QueuedUnit> group)
    {
        long start = Stopwatch.GetTimestamp();
        CommitState? health = null;
        var parts = new Stack<ArraySegment<QueuedUnit>>([group]);
        while (parts.TryPop(out ArraySegment<QueuedUnit> part))
        {
            if (part.Count < group.Count && Stopwatch.GetElapsedTime(start) > _maxWait)
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
            state = CommitState.Unavailable;
            if (!_failure.HasFailed)
            {
                state = CommitState.OlderCopy;
                if (_guard.TryReadFloor(out HeadFloor? floor))
                {
                    results = await _store.AcceptAsync([.. part.Select(unit => unit.Unit)], floor, CancellationToken.None);
                    if (results[0].Status == AcceptStatus.OlderCopy)
                    {
                        _ = await _guard.CheckAsync(CancellationToken.None);
                    }
                    else
                    {
                        state = CommitState.Decided;
                        FailPoints.Hit(FailPoints.Accept);
                        _guard.Passed();
                    }
                }
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
#pragma warning disable CA1031 // Invariant 2: whatever failed, its callers get an answer and the loop goes on for the others.
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
