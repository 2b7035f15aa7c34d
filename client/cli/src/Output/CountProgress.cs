using Spectre.Console;

namespace Optiks.Cli;

/// <summary>Draws on a terminal how much of a known number is done.</summary>
internal static class CountProgress
{
    /// <summary>Runs a function that reports its progress to the task; the task is null without a terminal.</summary>
    public static Task<T> RunAsync<T>(CommandHost host, string what, Func<ProgressTask?, Task<T>> run) => host.ProgressConsole is not { } console
        ? run(null)
        : console.Progress()
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn())
            .StartAsync(context => run(context.AddTask(what)));
}
