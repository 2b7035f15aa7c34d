using Spectre.Console;

namespace Optiks.Commands;

/// <summary>
/// Shows the progress of a long run on standard error if a person may be watching; otherwise it prints nothing. Each kind of counted things
/// has its own bar. Any thread may call the members.
/// </summary>
public sealed class TerminalProgress
{
    private readonly ProgressContext? _context;
    private readonly Lock _lock = new();
    private readonly Dictionary<string, ProgressTask> _bars = new(StringComparer.Ordinal);

    private TerminalProgress(ProgressContext? context)
    {
        _context = context;
    }

    /// <summary>Runs work that shows its progress, and erases the bars at the end.</summary>
    public static async Task<T> RunAsync<T>(IAnsiConsole? terminal, Func<TerminalProgress, Task<T>> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        return terminal is null
            ? await work(new TerminalProgress(null)).ConfigureAwait(false)
            : await terminal.Progress().AutoClear(true)
                .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn())
                .StartAsync(context => work(new TerminalProgress(context))).ConfigureAwait(false);
    }

    /// <summary>Runs work that has no result, as the other overload does.</summary>
    public static Task RunAsync(IAnsiConsole? terminal, Func<TerminalProgress, Task> work)
    {
        ArgumentNullException.ThrowIfNull(work);
        return RunAsync(terminal, async progress =>
        {
            await work(progress).ConfigureAwait(false);
            return true;
        });
    }

    /// <summary>
    /// Returns the terminal to which the writer <paramref name="error"/> writes. Returns null unless this writer is the program's standard
    /// error and a person may be watching it.
    /// </summary>
    public static IAnsiConsole? Terminal(TextWriter error) => ReferenceEquals(error, Console.Error) && !Console.IsErrorRedirected
        ? AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(error) })
        : null;

    /// <summary>Shows how many of the things that the parameter <paramref name="what"/> names are done, and how many there are. Both
    /// numbers may change from call to call.</summary>
    public void Show(string what, ulong done, ulong total)
    {
        if (_context is null)
        {
            return;
        }
        lock (_lock)
        {
            if (!_bars.TryGetValue(what, out ProgressTask? bar))
            {
                _bars.Add(what, bar = _context.AddTask(Markup.Escape(what)));
            }
            bar.MaxValue = Math.Max(1, total);
            bar.Value = total == 0 ? 1 : Math.Min(done, total);
        }
    }
}
