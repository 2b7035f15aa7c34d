namespace Optiks.Client;

/// <summary>Holds the places of all live records, their set hash, and how many octets of the journal they take up.</summary>
internal sealed class RecordIndex
{
    private readonly Dictionary<RecordKey, RecordPlace> _places = [];
    private readonly byte[] _setHash = new byte[RecordHash.Length];

    /// <summary>The XOR of the hashes of all records other than meta.</summary>
    public ReadOnlySpan<byte> SetHash => _setHash;

    /// <summary>The number of octets that the live records take up in the encodings of commits.</summary>
    public long LiveLength { get; private set; }

    public IEnumerable<RecordKey> Keys => _places.Keys;

    public RecordPlace? Find(RecordKey key) => _places.TryGetValue(key, out RecordPlace place) ? place : null;

    public void Put(RecordKey key, RecordPlace place)
    {
        _ = TryDelete(key);
        _places.Add(key, place);
        Toggle(key, place);
        LiveLength += RecordChanges.GetLength(key, place.Length);
    }

    /// <summary>Drops a record. Returns false if the index does not have the record.</summary>
    public bool TryDelete(RecordKey key)
    {
        if (!_places.Remove(key, out RecordPlace place))
        {
            return false;
        }
        Toggle(key, place);
        LiveLength -= RecordChanges.GetLength(key, place.Length);
        return true;
    }

    /// <summary>Returns the set hash that the records have after changes, which are not made.</summary>
    public byte[] ComputeSetHash(RecordChanges changes)
    {
        byte[] hash = [.. _setHash];
        foreach (RecordPut put in changes.Puts.Where(put => put.Key != RecordKey.Meta))
        {
            Xor(hash, RecordHash.HashRecord(put.Key, put.Body.Span));
        }
        foreach (RecordKey key in changes.Puts.Select(put => put.Key).Concat(changes.Deletes).Where(key => key != RecordKey.Meta))
        {
            if (Find(key) is { } place)
            {
                Xor(hash, place.Hash);
            }
        }
        return hash;
    }

    private static void Xor(byte[] hash, byte[] other)
    {
        for (int i = 0; i < hash.Length; i++)
        {
            hash[i] ^= other[i];
        }
    }

    private void Toggle(RecordKey key, RecordPlace place)
    {
        if (key != RecordKey.Meta)
        {
            Xor(_setHash, place.Hash);
        }
    }
}
