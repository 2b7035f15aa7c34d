using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Computes the root of a tree from its leaves, directly by docs/spec/tree.md and independently of the native tree.</summary>
internal static class PatriciaRoot
{
    /// <summary>Computes the root of leaves with different labels, in any order.</summary>
    public static byte[] Compute(IEnumerable<(byte[] Label, byte[] Commitment, ulong Epoch)> leaves)
    {
        (byte[] Label, byte[] Commitment, ulong Epoch)[] sorted = [.. leaves.OrderBy(leaf => Convert.ToHexString(leaf.Label), StringComparer.Ordinal)];
        return sorted.Length == 0 ? NativeHash.Compute(0x03, []) : Node(sorted);
    }

    private static byte[] Node(ReadOnlySpan<(byte[] Label, byte[] Commitment, ulong Epoch)> leaves)
    {
        if (leaves.Length == 1)
        {
            byte[] epoch = new byte[8];
            BinaryPrimitives.WriteUInt64BigEndian(epoch, leaves[0].Epoch);
            return NativeHash.Compute(0x01, [.. leaves[0].Label, .. leaves[0].Commitment, .. epoch]);
        }
        // The leaves are sorted, so the first and the last share the shortest prefix.
        int length = 0;
        while (Bit(leaves[0].Label, length) == Bit(leaves[^1].Label, length))
        {
            length++;
        }
        byte[] prefix = new byte[32];
        for (int bit = 0; bit < length; bit++)
        {
            prefix[bit / 8] |= (byte)(Bit(leaves[0].Label, bit) << (7 - (bit % 8)));
        }
        int split = 0;
        while (Bit(leaves[split].Label, length) == 0)
        {
            split++;
        }
        return NativeHash.Compute(0x02, [(byte)length, .. prefix, .. Node(leaves[..split]), .. Node(leaves[split..])]);
    }

    private static int Bit(byte[] label, int index) => (label[index / 8] >> (7 - (index % 8))) & 1;
}
