using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// Checks the leaves of each epoch. An epoch's leaves must be complete and in order, the versions of each key must increase by one, and
/// values must open their commitments. No update may have become two leaves, or still be pending. Takes about 150 bytes of memory for each
/// leaf and each key.
/// </summary>
internal sealed class LeafCheck(Configuration configuration, HashSet<LeafOrigin> pending, FsckReport report)
{
    private readonly Dictionary<(StructureId, UInt128), LatestVersion> _keys = [];
    private readonly HashSet<LeafOrigin> _origins = [];
    private readonly HashSet<ulong> _left = [];

    /// <summary>The hashes of the ids of the users who have left so far.</summary>
    public IReadOnlySet<ulong> Left => _left;

    /// <summary>The number of leaves with a value that were checked so far.</summary>
    public long Values { get; private set; }

    /// <summary>
    /// Returns a 64-bit hash of a key or value; 0 if it is missing. Two different keys or values of a log have the same hash only with
    /// negligible probability.
    /// </summary>
    public static ulong Hash(ReadOnlyMemory<byte>? octets) =>
        octets is { } present ? BinaryPrimitives.ReadUInt64BigEndian(SHA256.HashData(present.Span)) | 1 : 0;

    /// <summary>
    /// Begins a period: replaces the known keys of the structures <c>devices</c> and <c>keys</c> by those with which the period begins.
    /// Returns the replaced keys, as they were at the end of the previous period.
    /// </summary>
    public Dictionary<(StructureId, UInt128), LatestVersion> BeginPeriod(IReadOnlyDictionary<(StructureId, UInt128), LatestVersion> copies)
    {
        var ended = new Dictionary<(StructureId, UInt128), LatestVersion>();
        foreach (((StructureId Structure, UInt128) key, LatestVersion state) in _keys)
        {
            if (key.Structure.IsPerPeriod())
            {
                ended.Add(key, state);
                // .NET allows removing entries of a dictionary while it is being enumerated.
                _ = _keys.Remove(key);
            }
        }
        foreach (((StructureId, UInt128) key, LatestVersion state) in copies)
        {
            _keys[key] = state;
        }
        return ended;
    }

    /// <summary>Checks the leaves of the next epoch, given in order of ordinals.</summary>
    public void Check(StoredEpoch epoch, ulong period, IReadOnlyList<StoredLeaf> leaves)
    {
        if (leaves.Count != epoch.Leaves)
        {
            report.Found($"Epoch {epoch.Row.Epoch} has {leaves.Count} leaves, but inserted {epoch.Leaves}.");
        }
        long valueBytes = 0;
        bool erased = false;
        for (int i = 0; i < leaves.Count; i++)
        {
            StoredLeaf leaf = leaves[i];
            if (leaf.Ordinal != (i == 0 ? 0 : leaves[i - 1].Ordinal + 1))
            {
                report.Found($"The ordinals of epoch {leaf.Epoch} have a gap before {leaf.Ordinal}.");
            }
            if (i > 0 && !IsBefore(leaves[i - 1], leaf))
            {
                report.Found($"{Name(leaf)} is not in order of structures and labels.");
            }
            if (leaf.Period != period)
            {
                report.Found($"{Name(leaf)} is in period {leaf.Period}, its epoch's record in {period}.");
            }
            CheckVersion(leaf);
            CheckValue(leaf);
            CheckOrigin(leaf);
            valueBytes += leaf.Value?.Value.Length ?? 0;
            erased |= leaf.Value is null;
        }
        // The epoch's number of bytes was counted when the epoch was made, and erasures do not change this number. So after an erasure the
        // leaves may have fewer bytes than that number.
        if (leaves.Count == epoch.Leaves && (erased ? valueBytes > epoch.ValueBytes : valueBytes != epoch.ValueBytes))
        {
            report.Found($"The values of epoch {epoch.Row.Epoch} have {valueBytes} bytes, but {epoch.ValueBytes} were inserted.");
        }
    }

    private static bool IsBefore(StoredLeaf a, StoredLeaf b) =>
        a.Structure < b.Structure || (a.Structure == b.Structure && a.Label.Span.SequenceCompareTo(b.Label.Span) < 0);

    private static string Name(StoredLeaf leaf) => FormattableString.Invariant($"Leaf {leaf.Ordinal} of epoch {leaf.Epoch}");

    private void CheckVersion(StoredLeaf leaf)
    {
        UInt128 tag = BinaryPrimitives.ReadUInt128BigEndian(leaf.Tag.Span);
        ref LatestVersion last = ref CollectionsMarshal.GetValueRefOrAddDefault(_keys, (leaf.Structure, tag), out bool known);
        // By docs/spec/tree.md section 1, keys of an oZKS have only version 0. The structure `usernames` is an oZKS, unless the log reuses
        // usernames.
        bool hasVersions = leaf.Structure.HasVersions() || (leaf.Structure == StructureId.Usernames && configuration.ReusesUsernames);
        ulong expected = hasVersions ? last.Version + 1 : 0;
        if (leaf.Version != expected || (known && !hasVersions))
        {
            report.Found($"{Name(leaf)} has version {leaf.Version} of its key instead of {expected}.");
        }
        // A dummy leaf's key belongs to nobody, so the next period need not have a copy of it.
        ulong keyHash = leaf.Origin == LeafOrigin.Padding ? 0 : Hash(leaf.Value?.Key);
        if (keyHash != 0 && last.KeyHash != 0 && last.KeyHash != keyHash)
        {
            report.Found($"{Name(leaf)} has another key than the version before, under the same tag.");
        }
        last = new LatestVersion(leaf.Version, leaf.Epoch, leaf.Ordinal, keyHash == 0 ? last.KeyHash : keyHash, Hash(leaf.Value?.Value));
    }

    private void CheckValue(StoredLeaf leaf)
    {
        if (leaf.Value is not { } value)
        {
            return;
        }
        Values++;
        if (leaf.Structure == StructureId.Decommissioned)
        {
            _ = _left.Add(Hash(value.Key));
        }
        if (value.Key.Length == 0 || value.Key.Length > configuration.MaxKeyLength || value.Value.Length > configuration.MaxValueLength)
        {
            report.Found($"{Name(leaf)} has a key or value beyond the configuration's bounds.");
        }
        if (!NativeHash.Compute(HashTags.Commitment, [.. value.Opening.Span, .. value.Value.Span]).AsSpan()
            .SequenceEqual(leaf.Commitment.Span))
        {
            report.Found($"{Name(leaf)} has a value that does not open its commitment.");
        }
    }

    private void CheckOrigin(StoredLeaf leaf)
    {
        if (leaf.Origin == LeafOrigin.Padding)
        {
            return;
        }
        if (!_origins.Add(leaf.Origin))
        {
            report.Found($"{Name(leaf)} is item {leaf.Origin.Item} of request {leaf.Origin.RequestId}, which an earlier leaf already is.");
        }
        if (pending.Contains(leaf.Origin))
        {
            report.Found($"{Name(leaf)} is item {leaf.Origin.Item} of request {leaf.Origin.RequestId}, which is still pending.");
        }
    }
}
