using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db.Fsck;

/// <summary>
/// LeafCheck checks the leaves of each epoch by themselves: complete, in order, each key's versions going up by one, commitments that their values open, no update twice and none that is still pending.
/// Keeps some 100 octets a leaf and key.
/// </summary>
internal sealed class LeafCheck(Configuration configuration, HashSet<LeafOrigin> pending, Report report)
{

    private readonly Dictionary<(StructureId, UInt128), (ulong Version, int KeyHash)> _keys = [];
    private readonly HashSet<LeafOrigin> _origins = [];

    /// <summary>Values met so far.</summary>
    public long Values { get; private set; }

    /// <summary>Check takes the leaves of the next epoch, in order of ordinals.</summary>
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
        // Erasing keeps what was counted when the epoch was made.
        if (leaves.Count == epoch.Leaves && (erased ? valueBytes > epoch.ValueBytes : valueBytes != epoch.ValueBytes))
        {
            report.Found($"The values of epoch {epoch.Row.Epoch} have {valueBytes} octets, but {epoch.ValueBytes} were inserted.");
        }
    }

    private static bool IsBefore(StoredLeaf a, StoredLeaf b) =>
        a.Structure < b.Structure || (a.Structure == b.Structure && a.Label.Span.SequenceCompareTo(b.Label.Span) < 0);

    private static string Name(StoredLeaf leaf) => FormattableString.Invariant($"Leaf {leaf.Ordinal} of epoch {leaf.Epoch}");

    private void CheckVersion(StoredLeaf leaf)
    {
        UInt128 tag = BinaryPrimitives.ReadUInt128BigEndian(leaf.Tag.Span);
        ref (ulong Version, int KeyHash) last = ref CollectionsMarshal.GetValueRefOrAddDefault(_keys, (leaf.Structure, tag), out bool known);
        // docs/spec/tree.md section 1: an oZKS has one version, 0.
        bool hasVersions = leaf.Structure.HasVersions();
        ulong expected = hasVersions ? last.Version + 1 : 0;
        if (leaf.Version != expected || (known && !hasVersions))
        {
            report.Found($"{Name(leaf)} has version {leaf.Version} of its key instead of {expected}.");
        }
        last.Version = leaf.Version;
        if (leaf.Value is { } value)
        {
            var hash = default(HashCode);
            hash.AddBytes(value.Key.Span);
            int keyHash = hash.ToHashCode();
            if (known && last.KeyHash != 0 && last.KeyHash != keyHash)
            {
                report.Found($"{Name(leaf)} has another key than the version before, under the same tag.");
            }
            last.KeyHash = keyHash;
        }
    }

    private void CheckValue(StoredLeaf leaf)
    {
        if (leaf.Value is not { } value)
        {
            return;
        }
        Values++;
        if (value.Key.Length == 0 || value.Key.Length > configuration.MaxKeyLength || value.Value.Length > configuration.MaxValueLength)
        {
            report.Found($"{Name(leaf)} has a key or value beyond the configuration's bounds.");
        }
        if (!NativeHash.Compute(HashTags.Commitment, [.. value.Opening.Span, .. value.Value.Span]).AsSpan().SequenceEqual(leaf.Commitment.Span))
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
            report.Found($"{Name(leaf)} is item {leaf.Origin.Item} of request {leaf.Origin.RequestId}, which an earlier leaf is already.");
        }
        if (pending.Contains(leaf.Origin))
        {
            report.Found($"{Name(leaf)} is item {leaf.Origin.Item} of request {leaf.Origin.RequestId}, which is still pending.");
        }
    }
}
