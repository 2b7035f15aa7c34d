namespace Optiks.Storage.Sqlite.Engine;

/// <summary>Packs a request's number and an item's into one of SQLite's integer keys (migrations/0001).</summary>
internal static class RowIds
{
    private const int ItemBits = 8;

    /// <summary>Item of a request.</summary>
    public static long Item(long sequence, int item) => checked(sequence << ItemBits) | (uint)item;
}
