using Spectre.Console;

namespace Optiks.Cli;

/// <summary>CountProgress draws, where somebody looks, how much of a known number is done.</summary>
internal static class CountProgress
{
    /// <summary>RunAsync runs something that tells the task how far it is; null: nobody looks.</summary>
    public static Task<T> RunAsync<T>(CommandHost host, string what, Func<ProgressTask?, Task<T>> run) => host.ProgressConsole is not { } console
        ? run(null)
        : console.Progress()
            .AutoClear(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn())
            .StartAsync(context => run(context.AddTask(what)));
}
