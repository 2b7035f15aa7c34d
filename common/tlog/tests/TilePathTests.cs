namespace Optiks.Tlog.Tests;

public sealed class TilePathTests
{
    [Theory]
    [InlineData(0, 0UL, 256, "tile/0/000")]
    [InlineData(0, 5UL, 256, "tile/0/005")]
    [InlineData(0, 999UL, 255, "tile/0/999.p/255")]
    [InlineData(1, 1000UL, 1, "tile/1/x001/000.p/1")]
    [InlineData(0, 1234067UL, 256, "tile/0/x001/x234/067")]
    [InlineData(63, 1000000UL, 17, "tile/63/x001/x000/000.p/17")]
    [InlineData(0, ulong.MaxValue, 256, "tile/0/x018/x446/x744/x073/x709/x551/615")]
    [InlineData(-1, 0UL, 256, "tile/entries/000")]
    [InlineData(-1, 273UL, 112, "tile/entries/273.p/112")]
    public void Path_has_one_spelling(int level, ulong index, int width, string path)
    {
        TilePath tile = level < 0 ? TilePath.Entries(index, width) : TilePath.Hashes(level, index, width);

        Assert.Equal(path, tile.ToString());
        Assert.True(TilePath.TryParse(path, out TilePath parsed));
        Assert.Equal(tile, parsed);
        Assert.Equal(width == 256, parsed.IsFull);
    }

    [Theory]
    [InlineData("")]
    [InlineData("/tile/0/000")]
    [InlineData("tile/0")]
    [InlineData("tile/0/")]
    [InlineData("tile/00/000")]
    [InlineData("tile/01/000")]
    [InlineData("tile/64/000")]
    [InlineData("tile/-1/000")]
    [InlineData("tile/+1/000")]
    [InlineData("tile/data/000")]
    [InlineData("tile/Entries/000")]
    [InlineData("tile/0/0")]
    [InlineData("tile/0/0000")]
    [InlineData("tile/0/1000")]
    [InlineData("tile/0/x000")]
    [InlineData("tile/0/x000/001")]
    [InlineData("tile/0/001/000")]
    [InlineData("tile/0/x001/234/067")]
    [InlineData("tile/0/x001/x234")]
    [InlineData("tile/0/x1/000")]
    [InlineData("tile/0/X001/000")]
    [InlineData("tile/0/٠٠٠")]
    [InlineData("tile/0/000.p/0")]
    [InlineData("tile/0/000.p/00")]
    [InlineData("tile/0/000.p/01")]
    [InlineData("tile/0/000.p/256")]
    [InlineData("tile/0/000.p/257")]
    [InlineData("tile/0/000.p/-1")]
    [InlineData("tile/0/000.p/")]
    [InlineData("tile/0/000.p")]
    [InlineData("tile/0/000.p/1/")]
    [InlineData("tile/0/000.p/1.p/1")]
    [InlineData("tile/0/000/")]
    [InlineData("tile/0/000 ")]
    [InlineData("tile/0//000")]
    [InlineData("tile/0/../000")]
    [InlineData("tile/0/x018/x446/x744/x073/x709/x551/616")]
    [InlineData("tile/0/x999/x999/x999/x999/x999/x999/x999/999")]
    public void Any_other_spelling_is_refused(string path) => Assert.False(TilePath.TryParse(path, out _));

    [Fact]
    public void Impossible_tiles_cannot_be_named()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => TilePath.Hashes(64, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => TilePath.Hashes(-1, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => TilePath.Hashes(0, 0, 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => TilePath.Entries(0, 257));
    }
}
