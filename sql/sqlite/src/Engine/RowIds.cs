namespace Optiks.Storage.Sqlite.Engine;

/// <summary>RowIds pack two numbers into SQLite's integer keys (migrations/0001).</summary>
internal static class RowIds
{
    private const int ItemBits = 8;
    private const int OrdinalBits = 28;

    /// <summary>MaxSequence that a table takes (migrations/0001).</summary>
    public const long MaxSequence = (1L << 54) - 1;

    /// <summary>Item of a request.</summary>
    public static long Item(long sequence, int item) => checked(sequence << ItemBits) | (uint)item;

    /// <summary>LastItem of a request: its items are Item(sequence, 0)..LastItem(sequence).</summary>
    public static long LastItem(long sequence) => Item(sequence, (1 << ItemBits) - 1);

    /// <summary>SequenceOf an item's key.</summary>
    public static long SequenceOf(long id) => id >> ItemBits;

    /// <summary>ItemOf an item's key.</summary>
    public static int ItemOf(long id) => (int)(id & ((1 << ItemBits) - 1));

    /// <summary>Leaf of an epoch.</summary>
    public static long Leaf(ulong epoch, int ordinal) => checked((long)(epoch << OrdinalBits)) | (uint)ordinal;

    /// <summary>LastLeaf of an epoch: its leaves are Leaf(epoch, 0)..LastLeaf(epoch).</summary>
    public static long LastLeaf(ulong epoch) => Leaf(epoch, (1 << OrdinalBits) - 1);

    /// <summary>EpochOf a leaf's key.</summary>
    public static ulong EpochOf(long id) => (ulong)id >> OrdinalBits;

    /// <summary>OrdinalOf a leaf's key.</summary>
    public static int OrdinalOf(long id) => (int)(id & ((1 << OrdinalBits) - 1));
}
