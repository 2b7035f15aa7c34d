namespace Optiks.Tlog;

/// <summary>Computes which tiles and bundles a log of a given size has (C2SP tlog-tiles). Pure arithmetic.</summary>
public static class TileLayout
{
    /// <summary>The number of levels, 0 to 7: there are at most 256^8 = 2^64 leaves.</summary>
    public const int NumLevels = 8;

    /// <summary>Returns the number of hashes of a level in a tree of a given size: floor(size / 256^level).</summary>
    public static ulong NumHashes(ulong size, int level) => level < NumLevels ? size >> (8 * level) : 0;

    /// <summary>Returns the width of a level's last tile; 0 if the level ends with a full tile or has no tiles.</summary>
    public static int PartialWidth(ulong size, int level) => (int)(NumHashes(size, level) % TilePath.FullWidth);

    /// <summary>
    /// Returns the path of the tile with a level and index in a tree of a given size; null if the tree does not have the tile.
    /// </summary>
    public static TilePath? HashTile(ulong size, int level, ulong index) =>
        Width(NumHashes(size, level), index) is int width and > 0 ? TilePath.Hashes(level, index, width) : null;

    /// <summary>
    /// Returns the path of the entry bundle with an index in a tree of a given size; null if the tree does not have the bundle.
    /// </summary>
    public static TilePath? Bundle(ulong size, ulong index) =>
        Width(size, index) is int width and > 0 ? TilePath.Entries(index, width) : null;

    /// <summary>
    /// Returns the paths that a log of size newSize serves and a log of size oldSize does not. A writer must write these files.
    /// </summary>
    public static IEnumerable<TilePath> Added(ulong oldSize, ulong newSize)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(oldSize, newSize);
        return AddedPaths(oldSize, newSize);
    }

    /// <summary>
    /// Returns the paths of partial tiles and bundles among <see cref="Added"/>: at most one tile for each level and one bundle, whatever
    /// the sizes.
    /// </summary>
    public static IEnumerable<TilePath> AddedPartials(ulong oldSize, ulong newSize)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(oldSize, newSize);
        for (int level = 0; NumHashes(newSize, level) is ulong hashes and > 0; level++)
        {
            int width = PartialWidth(newSize, level);
            if (width == 0 || hashes == NumHashes(oldSize, level))
            {
                continue;
            }
            if (level == 0)
            {
                yield return TilePath.Entries(hashes / TilePath.FullWidth, width);
            }
            yield return TilePath.Hashes(level, hashes / TilePath.FullWidth, width);
        }
    }

    /// <summary>
    /// Returns the paths of a log of a given size. Their number grows with the size: about 2 paths for every 256 entries.
    /// </summary>
    public static IEnumerable<TilePath> All(ulong size) => AddedPaths(0, size);

    private static IEnumerable<TilePath> AddedPaths(ulong oldSize, ulong newSize)
    {
        foreach ((ulong index, int width) in AddedTiles(oldSize, newSize))
        {
            yield return TilePath.Entries(index, width);
        }
        for (int level = 0; NumHashes(newSize, level) > 0; level++)
        {
            foreach ((ulong index, int width) in AddedTiles(NumHashes(oldSize, level), NumHashes(newSize, level)))
            {
                yield return TilePath.Hashes(level, index, width);
            }
        }
    }

    private static IEnumerable<(ulong Index, int Width)> AddedTiles(ulong oldHashes, ulong newHashes)
    {
        if (oldHashes == newHashes)
        {
            yield break;
        }
        for (ulong index = oldHashes / TilePath.FullWidth; Width(newHashes, index) is int width and > 0; index++)
        {
            yield return (index, width);
        }
    }

    private static int Width(ulong numHashes, ulong index)
    {
        ulong last = numHashes / TilePath.FullWidth;
        return index < last ? TilePath.FullWidth : index == last ? (int)(numHashes % TilePath.FullWidth) : 0;
    }
}
