namespace Optiks.UpdateService.Accepting;

/// <summary>
/// QueueSpace bounds the memory of all requests that are being read, wait for a commit, or are in one. One request fits whatever its size when there is no other. Any thread.
/// </summary>
internal sealed class QueueSpace
{
    private readonly long _capacity;
    private long _used;

    /// <summary>QueueSpace of a number of octets.</summary>
    public QueueSpace(long capacity)
    {
        _capacity = capacity;
    }

    /// <summary>Used octets.</summary>
    public long Used => Interlocked.Read(ref _used);

    /// <summary>Open makes a share for one request; dispose it when the request is over.</summary>
    public Share Open() => new(this);

    /// <summary>Share of one request. One thread at a time.</summary>
    public sealed class Share : IDisposable
    {
        private readonly QueueSpace _space;
        private long _octets;

        internal Share(QueueSpace space)
        {
            _space = space;
        }

        /// <summary>TryGrow makes the share this large, if it is smaller; false when there is no room, and then it stays as it is.</summary>
        public bool TryGrow(long octets)
        {
            long more = octets - _octets;
            if (more <= 0)
            {
                return true;
            }
            long used = Interlocked.Add(ref _space._used, more);
            if (used <= _space._capacity || used == octets)
            {
                _octets = octets;
                return true;
            }
            Interlocked.Add(ref _space._used, -more);
            return false;
        }

        public void Dispose()
        {
            Interlocked.Add(ref _space._used, -_octets);
            _octets = 0;
        }
    }
}
