using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.UpdateTask.Rules;

/// <summary>Collects keys, so that one call of the directory reads the latest versions of all of them. Not thread-safe.</summary>
internal sealed class KeyVersions : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly ByteStrings _keys = new();
    private ulong[] _versions = [];

    /// <summary>The number of keys that were added.</summary>
    public int Count => _keys.Count;

    /// <summary>
    /// Returns the latest version of the key with this index, or 0 if the key does not exist. In a structure without versions, every
    /// existing key has version 1. The method <see cref="Read"/> must have been called before.
    /// </summary>
    public ulong this[int index] => _versions[index];

    /// <summary>Adds a key and returns its index.</summary>
    public int Add(StructureId structure, ReadOnlyMemory<byte> key)
    {
        _structures.Add(structure);
        _keys.Add(key.Span);
        return _keys.Count - 1;
    }

    /// <summary>Reads the latest versions of all added keys.</summary>
    public void Read(KeyDirectory directory)
    {
        _versions = new ulong[_keys.Count];
        if (_versions.Length > 0)
        {
            directory.Versions(_structures.ToArray(), _keys, _versions);
        }
    }

    public void Dispose() => _keys.Dispose();
}
