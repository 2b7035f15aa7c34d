using System.Buffers.Binary;
using Optiks.Native;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Computes the root of a tree from its leaves. It follows docs/spec/tree.md directly, and does not use the native library's tree.
/// </summary>
internal static class PatriciaRoot
{
    /// <summary>Returns the root of a tree with these leaves. The leaves may have any order, but must have different labels.</summary>
    public static byte[] Compute(IEnumerable<(byte[] Label, byte[] Commitment, ulong Epoch)> leaves)
    {
        (byte[] Label, byte[] Commitment,
            ulong Epoch)[] sorted = [.. leaves.OrderBy(leaf => Convert.ToHexString(leaf.Label), StringComparer.Ordinal)];
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
        // The leaves are sorted by label, so the longest prefix that all labels share is the prefix that the first and the last label
        // share.
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
