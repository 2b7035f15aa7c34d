using Spectre.Console;

namespace Optiks.Cli;

/// <summary>Shows on a terminal that an answer takes several pages.</summary>
internal static class PageProgress
{
    public static async Task<T> RunAsync<T>(CommandHost host, Func<IProgress<int>?, Task<T>> run) => host.ProgressConsole is not { } console
        ? await run(null).ConfigureAwait(false)
        : await console.Status().StartAsync("verifying", context => run(new Pages(context))).ConfigureAwait(false);

    private sealed class Pages(StatusContext context) : IProgress<int>
    {
        public void Report(int value) => context.Status($"verifying, page {value + 1}");
    }
}
