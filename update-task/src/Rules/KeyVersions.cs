using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.UpdateTask.Rules;

/// <summary>Collects keys, to read their latest versions in one call. Not thread-safe.</summary>
internal sealed class KeyVersions : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly ByteStrings _keys = new();
    private ulong[] _versions = [];

    /// <summary>The number of keys.</summary>
    public int Count => _keys.Count;

    /// <summary>
    /// Returns the version of the i-th key; 0 if the key has no version. In a structure without versions, the version of an existing key is
    /// 1. Valid after <see cref="Read"/>.
    /// </summary>
    public ulong this[int index] => _versions[index];

    /// <summary>Adds a key and returns its index.</summary>
    public int Add(StructureId structure, ReadOnlyMemory<byte> key)
    {
        _structures.Add(structure);
        _keys.Add(key.Span);
        return _keys.Count - 1;
    }

    /// <summary>Reads the versions of all added keys.</summary>
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
