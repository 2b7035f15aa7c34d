using System.Text;
using Optiks.Stress.Settling;

namespace Optiks.Stress.Tests;

public sealed class SettlingTests
{
    private static readonly VersionCheck.HistoryVersion[] s_history = [new(1, 3), new(2, 11), new(3, 12)];

    [Fact]
    public void Updates_that_are_the_versions_of_the_run_are_all_there() =>
        Assert.Equal((0, 0), VersionCheck.Compare([new(0, 3, 12), new(0, 2, 11)], s_history, lastBefore: 10));

    [Fact]
    public void A_version_that_is_missing_or_of_another_epoch_is_lost()
    {
        Assert.Equal((1, 0), VersionCheck.Compare([new(0, 2, 11), new(0, 3, 12), new(0, 4, 13)], s_history, lastBefore: 10));
        Assert.Equal((1, 0), VersionCheck.Compare([new(0, 2, 11), new(0, 3, 13)], s_history, lastBefore: 10));
    }

    [Fact]
    public void A_version_of_two_updates_or_of_none_is_doubled()
    {
        Assert.Equal((0, 1), VersionCheck.Compare([new(0, 2, 11), new(0, 2, 11), new(0, 3, 12)], s_history, lastBefore: 10));
        Assert.Equal((0, 1), VersionCheck.Compare([new(0, 2, 11)], s_history, lastBefore: 10));
    }

    [Theory]
    [InlineData("""{"request_id":"x","status":"pending"}""", "pending")]
    [InlineData("""{"status":"refused","reason":"expected-version"}""", "refused")]
    [InlineData("""{"status":"published","epoch":7,"items":[]}""", "unusable-answer")]
    [InlineData("""{"status":"published","items":[{"version":2}]}""", "unusable-answer")]
    [InlineData("""{"status":"published","epoch":7,"items":[{"item":0,"version":2}]}""", "unusable-answer")]
    [InlineData("[]", "unusable-answer")]
    [InlineData("{", "unusable-answer")]
    public void Only_a_whole_answer_says_published(string json, string status)
    {
        StatusText parsed = StatusText.Parse(Encoding.UTF8.GetBytes(json));
        Assert.Equal(status, parsed.Status);
        Assert.Null(parsed.Published);

        StatusText control = StatusText.Parse(
            """{"status":"published","epoch":7,"items":[{"item":0,"version":2,"period":1}]}"""u8.ToArray());
        Assert.Equal(new VersionCheck.Published(1, 2, 7), control.Published);
    }
}
