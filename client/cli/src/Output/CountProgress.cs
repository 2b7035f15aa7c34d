using Spectre.Console;

namespace Optiks.Cli;

/// <summary>Draws a progress bar for a known number of steps on a terminal.</summary>
internal static class CountProgress
{
    /// <summary>
    /// Runs a function and passes it a progress task, to which it reports its progress. The task is null if there is no terminal.
    /// </summary>
    public static Task<T> RunAsync<T>(CommandHost host, string what, Func<ProgressTask?, Task<T>> run) =>
        host.ProgressConsole is not { } console
        ? run(null)
        : console.Progress()
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn())
            .StartAsync(context => run(context.AddTask(what)));
}
