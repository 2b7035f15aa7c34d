using System.Threading.Channels;
using Microsoft.Extensions.Options;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// Commits the updates of many callers together: one loop takes all waiting units and makes them durable in one transaction, while the next
/// group forms. The queue has no timer, so a single caller does not wait for others. The queue commits large groups concurrently if that
/// makes the store faster.
/// </summary>
/// <remarks>
/// <para><see cref="TryEnqueue"/> is thread-safe. Invariants:</para>
/// <para>1. The queue sets a unit's outcome only after the unit's transaction has ended.</para>
/// <para>2. Every unit that the queue took gets an outcome soon, also at shutdown. The store's time limit ends a commit. A unit that waited
/// too long for its commit to begin gets an outcome without a commit.</para>
/// <para>3. Units reach the store in the order in which the queue took them. If the commits of two units overlap, the queue took both
/// before either had an outcome.</para>
/// <para>4. If a unit makes the store throw, only that unit fails.</para>
/// <para>A caller that disconnects does not withdraw its unit. The unit may still be committed, and the caller can find out by its request
/// id.</para>
/// </remarks>
internal sealed class CommitQueue : IHostedService
{
    // The largest number of groups in a commit at the same time. Two groups can be copied to the database while the database checks a
    // third. More groups would take more memory, because each group keeps its updates in memory until its callers get their answers.
    private const int MaxUnderway = 3;

    private readonly IAcceptStore _store;
    private readonly GroupCommit _commit;
    private readonly QueueOptions _options;
    private readonly UpdateMetrics _metrics;
    private readonly Channel<QueuedUnit> _channel;

    // The places in the channel, of which each caller has only a share, so that one caller's requests leave room for other callers.
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

    /// <summary>The memory budget of the queue. A request takes space for each received byte, and keeps it until the request is
    /// answered.</summary>
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
    /// Commits the waiting units, and then ends the queue. The HTTP server stops before this call and waits for its requests, so the
    /// callers of all units still get their answers.
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
