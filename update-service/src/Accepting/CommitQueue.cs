using System.Threading.Channels;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// Commits the updates of many callers together: one loop takes all waiting units and makes them durable in one transaction, while the next
/// group forms. There is no timer: a lone caller does not wait for others. Large groups are committed concurrently if the store becomes
/// faster by it.
/// </summary>
/// <remarks>
/// <para>Thread safety: <see cref="TryEnqueue"/> from any thread. Invariants:</para>
/// <para>1. A unit's outcome is set after the transaction that holds it has ended, never before.</para>
/// <para>2. Every unit that the queue took gets an outcome soon, also at shutdown. The store's time limit ends a commit, and a unit that
/// waited too long for a commit is returned without a commit.</para>
/// <para>3. Units reach the store in the order in which they were taken. If the commits of units overlap, none of these units had an
/// outcome when another was taken.</para>
/// <para>4. If a unit makes the store throw, only that unit fails.</para>
/// <para>A caller that disconnects does not withdraw its unit: the unit may still be committed, and the caller finds out by its request
/// id.</para>
/// </remarks>
internal sealed class CommitQueue : IHostedService
{
    // Two groups are copied to the database while the database judges the third. More groups would cost memory: each group keeps its
    // updates in memory until it is answered, as the queue does.
    private const int MaxUnderway = 3;

    private readonly IAcceptStore _store;
    private readonly GroupCommit _commit;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly Channel<QueuedUnit> _channel;

    // The shares of places in the channel, so that one caller's requests leave room for other callers.
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

    /// <summary>The space from which requests take a share for each received byte, until they are answered.</summary>
    public QueueSpace Space { get; }

    /// <summary>
    /// Takes a unit, whose caller must hold a share of <see cref="Space"/>. Returns false, and stores no part of the unit, if the queue has
    /// no room for another unit of this caller or the host is stopping.
    /// </summary>
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
        _places.Return(unit.Sender, 1);
        return false;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _loop = Task.Run(CommitAllAsync, CancellationToken.None);
        return Task.CompletedTask;
    }

    /// <summary>
    /// Commits the waiting units, then ends the queue. The server has stopped before this call, so the callers of all units still get their
    /// answers.
    /// </summary>
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
                _places.Return(unit.Sender, 1);
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
