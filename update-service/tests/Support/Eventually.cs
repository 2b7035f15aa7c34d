using System.Diagnostics;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>Waits for the effect of another thread.</summary>
internal static class Eventually
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    /// <summary>Returns once the condition holds, and fails the test if it never does.</summary>
    public static Task IsAsync(Func<bool> condition) => IsAsync(() => Task.FromResult(condition()));

    /// <inheritdoc cref="IsAsync(Func{bool})"/>
    public static async Task IsAsync(Func<Task<bool>> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < s_limit, "The condition never held.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
