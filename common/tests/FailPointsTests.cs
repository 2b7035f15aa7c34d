namespace Optiks.Common.Tests;

public sealed class FailPointsTests
{
    [Theory]
    [InlineData("commit", "commit", 1, false)]
    [InlineData("high-water:12", "high-water", 12, false)]
    [InlineData("publish:stop", "publish", 1, true)]
    [InlineData("publish:3:stop", "publish", 3, true)]
    public void Names_a_place_a_time_and_a_signal(string text, string name, int times, bool stop) =>
        Assert.Equal(new FailPoints.Choice(name, times, stop), FailPoints.Parse(text));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("comit")]
    [InlineData("commit:0")]
    [InlineData("commit:-1")]
    [InlineData("commit:")]
    [InlineData("commit:1:2")]
    [InlineData("commit:stop:1")]
    [InlineData("commit:1:stopped")]
    [InlineData("stop")]
    public void Anything_else_is_no_place(string? text) => Assert.Null(FailPoints.Parse(text));
}
