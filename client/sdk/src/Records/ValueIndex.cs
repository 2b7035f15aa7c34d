namespace Optiks.Client;

/// <summary>
/// Finds the record with octets that have a SHA-256. Records do not share octets, so several records may have the same ones.
/// </summary>
internal sealed class ValueIndex
{
    private readonly Dictionary<string, List<RecordKey>> _keys = new(StringComparer.Ordinal);
    private readonly Dictionary<RecordKey, string> _hashes = [];

    /// <summary>Tells whether a record of a value or statement is stored.</summary>
    public bool Has(RecordKey key) => _hashes.ContainsKey(key);

    /// <summary>Returns a record whose octets have this SHA-256 in hexadecimal; null if there is no such record.</summary>
    public RecordKey? Find(string hash) => _keys.TryGetValue(hash, out List<RecordKey>? keys) ? keys[0] : null;

    public void Put(RecordKey key, string hash)
    {
        Delete(key);
        _hashes.Add(key, hash);
        if (!_keys.TryGetValue(hash, out List<RecordKey>? keys))
        {
            _keys.Add(hash, keys = []);
        }
        keys.Add(key);
    }

    public void Delete(RecordKey key)
    {
        if (_hashes.Remove(key, out string? hash) && _keys[hash].Remove(key) && _keys[hash].Count == 0)
        {
            _keys.Remove(hash);
        }
    }

    /// <summary>Returns the records in which a state's values and statements may be stored, with their hashes.</summary>
    public static IEnumerable<(RecordKey Key, string Hash)> CollectNames(ClientState state) =>
        state.Chains.Where(chain => chain.Value.Seen?.At.ValueSha256 is not null)
            .Select(chain => (RecordKeys.ForStructure(RecordKind.Value, chain.Key), chain.Value.Seen!.At.ValueSha256!))
            .Concat(state.Leaves.SelectMany(leaves => leaves.Value.Select(leaf => (RecordKeys.ForLeaf(leaves.Key, leaf), leaf.Sha256))));
}
