namespace Optiks.Tlog;

/// <summary>
/// Makes and parses the path of an epoch's audit proof below a log's prefix (docs/spec/board.md section 3). The path contains the epoch's
/// number in the form of tile paths, as in "audit/x001/x234/067".
/// </summary>
public static class AuditProofPath
{
    private const string Prefix = "audit/";
    private const string EntriesPrefix = "tile/entries/";

    /// <summary>Returns the path of an epoch's audit proof.</summary>
    public static string ForEpoch(ulong epoch) => string.Concat(Prefix, TilePath.Entries(epoch).ToString().AsSpan(EntriesPrefix.Length));

    /// <summary>Parses the epoch of an audit proof's path. Each epoch has only one accepted path.</summary>
    public static bool TryParse(string path, out ulong epoch)
    {
        ArgumentNullException.ThrowIfNull(path);
        epoch = 0;
        if (!path.StartsWith(Prefix, StringComparison.Ordinal)
            || !TilePath.TryParse(string.Concat(EntriesPrefix, path.AsSpan(Prefix.Length)), out TilePath tile) || !tile.IsFull)
        {
            return false;
        }
        epoch = tile.Index;
        return true;
    }
}
