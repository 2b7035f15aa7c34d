namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Packs the number of a request and the number of an item into one of SQLite's integer keys (migrations/0001).</summary>
internal static class RowIds
{
    private const int ItemBits = 8;

    /// <summary>Returns the key of a request's item.</summary>
    public static long Item(long sequence, int item) => checked(sequence << ItemBits) | (uint)item;
}
