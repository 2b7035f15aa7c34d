namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Packs a request's sequence number and an item's number into one integer key of SQLite (migrations/0001).</summary>
internal static class RowIds
{
    private const int ItemBits = 8;

    /// <summary>Returns the integer key of the row of a request's item.</summary>
    public static long Item(long sequence, int item) => checked(sequence << ItemBits) | (uint)item;
}
