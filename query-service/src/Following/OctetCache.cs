using System.Diagnostics.CodeAnalysis;

namespace Optiks.QueryService.Following;

/// <summary>
/// Caches byte strings by name. Keeps their total size within a bound, and evicts the least recently used ones. Callers must not change
/// cached bytes. Thread-safe.
/// </summary>
internal sealed class OctetCache
{
    // The number of bytes that an entry takes in addition to its byte string: for the name, the node in the cache's list, and the place in
    // the cache's dictionary.
    private const int EntryCost = 256;

    // A byte string longer than the bound divided by this number is not cached, because it would evict too many other entries.
    private const int LargestShare = 4;

    private readonly long _bound;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, LinkedListNode<(string Name, byte[] Octets)>> _byName = new(StringComparer.Ordinal);
    private readonly LinkedList<(string Name, byte[] Octets)> _byUse = new();
    private long _size;

    /// <param name="bound">The largest total size of the cache's entries, in bytes.</param>
    public OctetCache(long bound) => _bound = bound;

    /// <summary>The total size of all entries in bytes, including their additional cost.</summary>
    public long Size
    {
        get
        {
            lock (_gate)
            {
                return _size;
            }
        }
    }

    public bool TryGet(string name, [NotNullWhen(true)] out byte[]? octets)
    {
        lock (_gate)
        {
            octets = null;
            if (!_byName.TryGetValue(name, out LinkedListNode<(string Name, byte[] Octets)>? node))
            {
                return false;
            }
            _byUse.Remove(node);
            _byUse.AddFirst(node);
            octets = node.Value.Octets;
            return true;
        }
    }

    /// <summary>Caches bytes under a name, unless they are too long.</summary>
    public void Put(string name, byte[] octets)
    {
        if (Cost(octets) > _bound / LargestShare)
        {
            return;
        }
        lock (_gate)
        {
            if (_byName.Remove(name, out LinkedListNode<(string Name, byte[] Octets)>? before))
            {
                _byUse.Remove(before);
                _size -= Cost(before.Value.Octets);
            }
            _byName.Add(name, _byUse.AddFirst((name, octets)));
            _size += Cost(octets);
            while (_size > _bound)
            {
                LinkedListNode<(string Name, byte[] Octets)> last = _byUse.Last!;
                _byUse.RemoveLast();
                _ = _byName.Remove(last.Value.Name);
                _size -= Cost(last.Value.Octets);
            }
        }
    }

    public void Clear()
    {
        lock (_gate)
        {
            _byName.Clear();
            _byUse.Clear();
            _size = 0;
        }
    }

    private static long Cost(byte[] octets) => octets.Length + EntryCost;
}
