using System.IO.Pipelines;
using Optiks.ServiceDefaults;

namespace Optiks.UpdateService.Accepting;

/// <summary>
/// Bounds the memory of all requests that are being read, wait for a commit, or are being committed. Each caller may have only a share of
/// it (<see cref="CallerShares"/>), so that there is room for other callers' updates, no matter how much one caller sends. A request of any
/// size fits if there is no other request. A body that is still arriving after <see cref="Patience"/> keeps its room only until another
/// request needs it, so that slow senders delay nobody. Thread-safe.
/// </summary>
internal sealed class QueueSpace
{
    /// <summary>
    /// The time after which a body that is still arriving may lose its room. A client that sends as fast as its network allows needs less
    /// time.
    /// </summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private readonly CallerShares _octets;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();

    // The shares whose bodies are still arriving, from the oldest to the newest.
    private readonly LinkedList<Share> _arriving = [];

    /// <summary>Creates a space with the given number of bytes.</summary>
    public QueueSpace(long octets, TimeProvider time)
    {
        _octets = new CallerShares(octets);
        _time = time;
    }

    /// <summary>The number of bytes that all shares hold together.</summary>
    public long Used => _octets.Used;

    /// <summary>
    /// Creates a share for one request of the sender with the given number (<see cref="Caller"/>). The code that opened the share must
    /// dispose of it when the request is over.
    /// </summary>
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
        // This call must be made while the lock is held: the share is no longer in the list of arriving bodies, so after the lock is
        // released its reader may belong to another request.
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
        _octets.Return(share.Caller, share.Octets);
        share.Octets = 0;
    }

    /// <summary>Holds one request's share of the space. Not thread-safe.</summary>
    public sealed class Share : IDisposable
    {
        private readonly QueueSpace _space;

        internal Share(QueueSpace space, int caller)
        {
            _space = space;
            Caller = caller;
        }

        internal int Caller { get; }

        // The space's lock protects this member and all members after it.
        internal long Octets { get; set; }

        internal bool IsTaken { get; set; }

        internal PipeReader? Reader { get; set; }

        internal long Since { get; set; }

        internal LinkedListNode<Share>? Arrival { get; set; }

        /// <summary>
        /// Grows the share to the given size, if the share is smaller. If there is no room, or if another request took the share's room,
        /// changes nothing and returns false.
        /// </summary>
        public bool TryGrow(long octets) => _space.TryGrow(this, octets);

        /// <summary>
        /// Marks that the request waits for more of its body. After <see cref="Patience"/>, another request may take the share's room. The
        /// space then cancels the pending read of the body's reader, and the share cannot grow any more. Callers may call this method
        /// repeatedly.
        /// </summary>
        public void Arriving(PipeReader body) => _space.Arriving(this, body);

        /// <summary>Marks that the body is complete, or that the service will not read more of it.</summary>
        public void Arrived()
        {
            // This code takes the lock only if the body was still arriving, because every request calls this method and most bodies are
            // complete at once.
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
