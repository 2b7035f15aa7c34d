using Optiks.Settings;

namespace Optiks.Common.Tests;

public sealed class SpellingTests
{
    [Theory]
    [InlineData("", "", 0)]
    [InlineData("abc", "abc", 0)]
    [InlineData("abc", "", 3)]
    [InlineData("abc", "abd", 1)]
    [InlineData("abc", "abcd", 1)]
    [InlineData("abc", "acb", 1)]
    [InlineData("kitten", "sitting", 3)]
    [InlineData("abcdef", "badcfe", 3)]
    public void Letters_that_differ_are_counted(string one, string other, int distance)
    {
        Assert.Equal(distance, Spelling.Distance(one, other));
        Assert.Equal(distance, Spelling.Distance(other, one));
    }

    [Theory]
    [InlineData("EpochIntervall", "EpochInterval")]
    [InlineData("epochinterval", "EpochInterval")]
    [InlineData("EpohcIntreval", "EpochInterval")]
    [InlineData("MaxUpdates", null)]
    [InlineData("Kyes", "Keys")]
    [InlineData("Keyboards", null)]
    public void The_nearest_name_is_near(string word, string? nearest) =>
        Assert.Equal(nearest, Spelling.Nearest(word, ["EpochInterval", "MaxUpdatesPerEpoch", "Keys"]));

    [Fact]
    public void What_is_endless_is_near_to_nothing() =>
        Assert.Null(Spelling.Nearest(new string('a', 1_000_000), [new string('a', 999_999)]));
}
