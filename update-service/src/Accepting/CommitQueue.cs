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
    private readonly GroupCommit _commit;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly Channel<QueuedUnit> _channel;

    // In the channel: one caller's requests leave room for the others'.
    private readonly CallerShares _places;
    private Task _loop = Task.CompletedTask;

    public CommitQueue(IAcceptStore store, GroupCommit commit, IOptions<QueueOptions> options, UpdateMetrics metrics, TimeProvider time)
    {
        _store = store;
        _commit = commit;
        _options = options.Value;
        _metrics = metrics;
        _channel = Channel.CreateBounded<QueuedUnit>(new BoundedChannelOptions(_options.QueuedCallers) { SingleReader = true });
        Space = new QueueSpace(_options.QueuedOctets, time);
        _places = new CallerShares(_options.QueuedCallers);
        metrics.ObserveQueue(() => _channel.Reader.Count, () => Space.Used);
    }

    /// <summary>Space that requests take from for each octet that has come, until they are answered.</summary>
    public QueueSpace Space { get; }

    /// <summary>TryEnqueue takes a unit, whose caller holds a share of <see cref="Space"/>; false when the queue has no room for another of this caller or the host stops, and then nothing of it is stored.</summary>
    public bool TryEnqueue(QueuedUnit unit)
    {
        if (!_places.TryTake(unit.Sender, 1) && !_places.TryTakeAlone(unit.Sender, 0, 1))
        {
            return false;
        }
        if (_channel.Writer.TryWrite(unit))
        {
            return true;
        }
        _places.GiveBack(unit.Sender, 1);
        return false;
    }

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
                _places.GiveBack(unit.Sender, 1);
                if (unit.Age > _options.MaxWait)
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
                Task commit = _commit.RunAsync(group.ToArray());
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
}
