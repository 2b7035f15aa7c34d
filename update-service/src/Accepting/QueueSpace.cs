using System.IO.Pipelines;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// QueueSpace bounds the memory of all requests that are being read, wait for a commit, or are in one, with a share for each caller (<see cref="CallerShares"/>): however much one caller sends, the others' updates
/// find room. One request fits whatever its size when there is no other. A body that is still arriving after <see cref="Patience"/> keeps its room only until another request needs it: whoever sends slowly holds up nobody. Any thread.
/// </summary>
internal sealed class QueueSpace
{
    /// <summary>Patience with a body: a client that sends as fast as its network takes it needs less.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly CallerShares _octets;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();

    // Those whose body is still arriving, the oldest first.
    private readonly LinkedList<Share> _arriving = [];

    /// <summary>QueueSpace of a number of octets.</summary>
    public QueueSpace(long octets, TimeProvider time)
    {
        _octets = new CallerShares(octets);
        _time = time;
    }

    /// <summary>Used octets.</summary>
    public long Used => _octets.Used;

    /// <summary>Open makes a share for one request of a caller (<see cref="Caller"/>); dispose it when the request is over.</summary>
    public Share Open(int caller) => new(this, caller);

    private bool TryGrow(Share share, long octets)
    {
        lock (_lock)
        {
            if (share.IsTaken)
            {
                return false;
            }
            long more = octets - share.Octets;
            if (more <= 0)
            {
                return true;
            }
            while (!_octets.TryTake(share.Caller, more) && !_octets.TryTakeAlone(share.Caller, share.Octets, more))
            {
                if (!TryTakeFromOldest(share))
                {
                    return false;
                }
            }
            share.Octets = octets;
            return true;
        }
    }

    private bool TryTakeFromOldest(Share asking)
    {
        LinkedListNode<Share>? oldest = _arriving.First;
        oldest = oldest?.Value == asking ? oldest.Next : oldest;
        if (oldest is null || _time.GetElapsedTime(oldest.Value.Since) < Patience)
        {
            return false;
        }
        Share share = oldest.Value;
        share.IsTaken = true;
        Leave(share);
        Release(share);
        // Inside the lock: once the owner has left it, the reader may be another request's.
        share.Reader!.CancelPendingRead();
        return true;
    }

    private void Arriving(Share share, PipeReader body)
    {
        lock (_lock)
        {
            if (share.Reader is null)
            {
                share.Reader = body;
                share.Since = _time.GetTimestamp();
                share.Arrival = _arriving.AddLast(share);
            }
        }
    }

    private void Leave(Share share)
    {
        if (share.Arrival is { } arrival)
        {
            _arriving.Remove(arrival);
            share.Arrival = null;
        }
    }

    private void Release(Share share)
    {
        _octets.GiveBack(share.Caller, share.Octets);
        share.Octets = 0;
    }

    /// <summary>Share of one request. One thread at a time.</summary>
    public sealed class Share : IDisposable
    {
        private readonly QueueSpace _space;

        internal Share(QueueSpace space, int caller)
        {
            _space = space;
            Caller = caller;
        }

        internal int Caller { get; }

        // Under the space's lock, as all that follow.
        internal long Octets { get; set; }

        internal bool IsTaken { get; set; }

        internal PipeReader? Reader { get; set; }

        internal long Since { get; set; }

        internal LinkedListNode<Share>? Arrival { get; set; }

        /// <summary>TryGrow makes the share this large, if it is smaller; false when there is no room, and then it stays as it is, or when it was taken away meanwhile.</summary>
        public bool TryGrow(long octets) => _space.TryGrow(this, octets);

        /// <summary>
        /// Arriving says that the request waits for more of its body: from now on its room may be given to another request. Then the reader's pending read is cancelled, and the share grows no more.
        /// Call it as often as it is so.
        /// </summary>
        public void Arriving(PipeReader body) => _space.Arriving(this, body);

        /// <summary>Arrived says that the body is there, or will not be read any further.</summary>
        public void Arrived()
        {
            // Most bodies are there at once, and this is each one's path.
            if (Reader is not null)
            {
                lock (_space._lock)
                {
                    _space.Leave(this);
                }
            }
        }

        public void Dispose()
        {
            lock (_space._lock)
            {
                _space.Leave(this);
                _space.Release(this);
            }
        }
    }
}
