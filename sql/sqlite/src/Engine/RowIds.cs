namespace Optiks.Storage.Sqlite.Engine;

/// <summary>RowIds pack two numbers into SQLite's integer keys (migrations/0001).</summary>
internal static class RowIds
{
    private const int ItemBits = 8;
    private const int OrdinalBits = 28;

    /// <summary>Item of a request.</summary>
    public static long Item(long sequence, int item) => checked(sequence << ItemBits) | (uint)item;

    /// <summary>Leaf of an epoch.</summary>
    public static long Leaf(ulong epoch, int ordinal) => checked((long)(epoch << OrdinalBits)) | (uint)ordinal;

    /// <summary>LastLeaf of an epoch: its leaves are Leaf(epoch, 0)..LastLeaf(epoch).</summary>
    public static long LastLeaf(ulong epoch) => Leaf(epoch, (1 << OrdinalBits) - 1);

    /// <summary>EpochOf a leaf's key.</summary>
    public static ulong EpochOf(long id) => (ulong)id >> OrdinalBits;

    /// <summary>OrdinalOf a leaf's key.</summary>
    public static int OrdinalOf(long id) => (int)(id & ((1 << OrdinalBits) - 1));
}
