using System.Globalization;

namespace Optiks.Tests;

/// <summary>Tests work on background threads.</summary>
public sealed class BackgroundThreadTests
{
    [Fact]
    public async Task Work_has_less_of_a_processor_than_who_asks_for_it_and_gives_its_result()
    {
        int asks = Niceness();
        Assert.Equal(Math.Min(asks + 10, 19), await BackgroundThread.RunAsync(Niceness));
        Assert.Equal(asks, Niceness());
    }

    [Fact]
    public async Task What_work_throws_reaches_who_awaits_it()
    {
        int ran = 0;
        await BackgroundThread.RunAsync(() => { ran++; });
        Assert.Equal(1, ran);
        InvalidDataException e =
            await Assert.ThrowsAsync<InvalidDataException>(() => BackgroundThread.RunAsync(() => throw new InvalidDataException("no")));
        Assert.Equal("no", e.Message);
    }

    // Returns the nice value of the current thread, the 19th field of its stat file (proc(5)). The second field may contain spaces.
    private static int Niceness()
    {
        string stat = File.ReadAllText("/proc/thread-self/stat");
        return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[16], CultureInfo.InvariantCulture);
    }
}
