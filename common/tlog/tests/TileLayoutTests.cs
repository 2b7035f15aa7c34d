using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class TileLayoutTests
{
    [Theory]
    [InlineData(0UL, "")]
    [InlineData(1UL, "entries/000.p/1 0/000.p/1")]
    [InlineData(255UL, "entries/000.p/255 0/000.p/255")]
    [InlineData(256UL, "entries/000 0/000 1/000.p/1")]
    [InlineData(257UL, "entries/000 entries/001.p/1 0/000 0/001.p/1 1/000.p/1")]
    public void Small_logs(ulong size, string expected) =>
        Assert.Equal(expected, string.Join(' ', TileLayout.All(size).Select(path => path.ToString()["tile/".Length..])));

    [Fact]
    public void Layouts_of_the_vectors()
    {
        JsonElement[] sizes = [.. Vectors.Sizes.EnumerateArray()];
        Assert.Equal(11, sizes.Length);
        foreach (JsonElement size in sizes)
        {
            Assert.Equal(
                size.GetProperty("paths_for_this_size").EnumerateArray().Select(path => path.GetString()!).Order(StringComparer.Ordinal),
                TileLayout.All(size.GetProperty("size").GetUInt64()).Select(path => path.ToString()).Order(StringComparer.Ordinal));
        }
    }

    [Theory]
    [InlineData(65535UL, 255, "0/255.p/255 1/000.p/255")]
    [InlineData(65536UL, 256, "1/000 2/000.p/1")]
    [InlineData(65537UL, 256, "0/256.p/1 1/000 2/000.p/1")]
    [InlineData(70000UL, 273, "0/273.p/112 1/000 1/001.p/17 2/000.p/1")]
    public void Upper_levels(ulong size, int numFullLeafTiles, string rest)
    {
        TilePath[] hashes = [.. TileLayout.All(size).Where(path => !path.IsEntries)];

        Assert.Equal(numFullLeafTiles, hashes.Count(path => path is { Level: 0, IsFull: true }));
        IEnumerable<TilePath> others = hashes.Where(path => path is not { Level: 0, IsFull: true });
        Assert.Equal(rest, string.Join(' ', others.Select(path => path.ToString()["tile/".Length..])));
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(0, 600)]
    [InlineData(255, 256)]
    [InlineData(256, 257)]
    [InlineData(65535, 65536)]
    [InlineData(65536, 65537)]
    [InlineData(65500, 66000)]
    public void Added_paths_are_the_difference(ulong oldSize, ulong newSize)
    {
        TilePath[] added = [.. TileLayout.Added(oldSize, newSize)];

        Assert.Equal(TileLayout.All(newSize).Except(TileLayout.All(oldSize)), added);
        Assert.Equal(added.Where(path => !path.IsFull).ToHashSet(), TileLayout.AddedPartials(oldSize, newSize).ToHashSet());
    }

    [Fact]
    public void One_entry_adds_a_bundle_and_a_tile()
    {
        Assert.Equal(["tile/entries/000.p/7", "tile/0/000.p/7"], TileLayout.Added(6, 7).Select(path => path.ToString()));
        Assert.Equal(["tile/entries/256.p/2", "tile/0/256.p/2"], TileLayout.Added(65537, 65538).Select(path => path.ToString()));
    }

    [Fact]
    public void Largest_size_has_eight_partial_levels()
    {
        Assert.Equal(Enumerable.Repeat(255, 8), Enumerable.Range(0, 8).Select(level => TileLayout.PartialWidth(ulong.MaxValue, level)));
        Assert.Equal(0, TileLayout.PartialWidth(ulong.MaxValue, 8));
        Assert.Null(TileLayout.HashTile(ulong.MaxValue, 8, 0));
        Assert.Null(TileLayout.HashTile(257, 0, 2));
        Assert.Equal(TilePath.Hashes(0, 1, 1), TileLayout.HashTile(257, 0, 1));
    }

    [Fact]
    public void Right_edge_crosses_two_levels()
    {
        var edge = new RightEdge();
        var range = new CompactRange();
        var full = new List<TilePath>();
        for (int i = 0; i < 65537; i++)
        {
            TreeHash leaf = Vectors.Roots[i % 600];
            edge.Append(leaf, (path, _) => full.Add(path));
            range.Append(leaf);
        }
        Assert.Equal(range.Root(), edge.Root());
        Assert.Equal(TileLayout.All(65537).Where(path => path is { IsEntries: false, IsFull: true }).ToHashSet(), full.ToHashSet());
        Assert.Equal(257, full.Count);
        Assert.Equal([1, 0, 1, 0, 0, 0, 0, 0], Enumerable.Range(0, 8).Select(level => edge.Hashes(level).Count));
    }
}
