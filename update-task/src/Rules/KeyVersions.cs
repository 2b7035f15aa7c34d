using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.UpdateTask.Rules;

/// <summary>KeyVersions collects keys whose latest versions are read at once. Not thread-safe.</summary>
internal sealed class KeyVersions : IDisposable
{
    private readonly List<StructureId> _structures = [];
    private readonly ByteStrings _keys = new();
    private ulong[] _versions = [];

    /// <summary>Number of keys.</summary>
    public int Count => _keys.Count;

    /// <summary>Version of the i-th key, 0 for none; of a structure without versions 1 for a key that is there. After <see cref="Read"/>.</summary>
    public ulong this[int index] => _versions[index];

    /// <summary>Add a key and get its index.</summary>
    public int Add(StructureId structure, ReadOnlyMemory<byte> key)
    {
        _structures.Add(structure);
        _keys.Add(key.Span);
        return _keys.Count - 1;
    }

    /// <summary>Read all versions.</summary>
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
