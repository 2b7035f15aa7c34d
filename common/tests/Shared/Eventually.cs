using System.Diagnostics;

namespace Optiks.Tests.Shared;

/// <summary>Waits until another thread or process has had an effect. This file is compiled into the tests of services.</summary>
internal static class Eventually
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    /// <summary>Waits until the condition holds. Fails the test if it does not hold within the limit, which is 30 s by default.</summary>
    public static Task IsAsync(Func<bool> condition, TimeSpan? limit = null) => IsAsync(() => Task.FromResult(condition()), limit);

    /// <inheritdoc cref="IsAsync(Func{bool}, TimeSpan?)"/>
    public static async Task IsAsync(Func<Task<bool>> condition, TimeSpan? limit = null)
    {
        long start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < (limit ?? s_limit), "The condition never held.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
