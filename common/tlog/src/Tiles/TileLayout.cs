namespace Optiks.Tlog;

/// <summary>Computes which tiles and bundles a log of a given size has (C2SP tlog-tiles). The class only computes, and reads no
/// files.</summary>
public static class TileLayout
{
    /// <summary>The number of tile levels, which are 0 to 7 because a tree has at most 256^8 = 2^64 leaves.</summary>
    public const int NumLevels = 8;

    /// <summary>Returns the number of hashes in the tiles of a level, in a tree of the given size: floor(size / 256^level).</summary>
    public static ulong NumHashes(ulong size, int level) => level < NumLevels ? size >> (8 * level) : 0;

    /// <summary>Returns the number of hashes in a level's last tile, or 0 if that tile is full or if the level has no tiles.</summary>
    public static int PartialWidth(ulong size, int level) => (int)(NumHashes(size, level) % TilePath.FullWidth);

    /// <summary>
    /// Returns the path of the tile with this level and index in a tree of the given size; null if the tree does not have the tile.
    /// </summary>
    public static TilePath? HashTile(ulong size, int level, ulong index) =>
        Width(NumHashes(size, level), index) is int width and > 0 ? TilePath.Hashes(level, index, width) : null;

    /// <summary>
    /// Returns the path of the entry bundle with this index in a tree of the given size; null if the tree does not have the bundle.
    /// </summary>
    public static TilePath? Bundle(ulong size, ulong index) =>
        Width(size, index) is int width and > 0 ? TilePath.Entries(index, width) : null;

    /// <summary>
    /// Returns the paths of the files that a log of size <paramref name="newSize"/> has and a log of size <paramref name="oldSize"/> does
    /// not have. A writer must write these files when the log grows.
    /// </summary>
    public static IEnumerable<TilePath> Added(ulong oldSize, ulong newSize)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(oldSize, newSize);
        return AddedPaths(oldSize, newSize);
    }

    /// <summary>
    /// Returns those paths of <see cref="Added"/> that are partial tiles or partial bundles. For any sizes, these are at most one tile for
    /// each level and one bundle.
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
    /// Returns the paths of all files of a log of the given size, which are about 2 paths for every 256 entries.
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
