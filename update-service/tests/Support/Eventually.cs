using System.Diagnostics;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>Eventually waits for what another thread does.</summary>
internal static class Eventually
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    /// <summary>IsAsync returns once the condition holds, and fails the test when it never does.</summary>
    public static async Task IsAsync(Func<bool> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < s_limit, "The condition never held.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
