using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed class LadderTests
{
    [Theory]
    [InlineData(0, "", "1")]
    [InlineData(1, "1", "2")]
    [InlineData(2, "1 2", "3 4")]
    [InlineData(5, "1 2 4 5", "6 8")]
    [InlineData(10, "1 2 4 8 10", "11 12 16")]
    [InlineData(100, "1 2 4 8 16 32 64 96 100", "101 102 104 112 128")]
    public void The_ladder_is_the_table_of_the_specification(ulong latest, string present, string absent)
    {
        Assert.Equal(present, string.Join(' ', Ladder.Present(latest)));
        Assert.Equal(absent, string.Join(' ', Ladder.Absent(latest)));
    }
}
