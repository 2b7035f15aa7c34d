using System.Globalization;
using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;
using Spectre.Console;
using Recorder = Optiks.Stress.Load.Recorder;

namespace Optiks.Stress.Output;

/// <summary>Shows the progress of a run in a table that is redrawn in place.</summary>
internal sealed class TerminalView : ILiveView
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(500);
    private readonly IAnsiConsole _console;
    private readonly TimeProvider _time;

    public TerminalView(IAnsiConsole console, TimeProvider time)
    {
        _console = console;
        _time = time;
    }

    public Task FollowAsync(LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger,
        CancellationToken cancellationToken) =>
        _console.Live(new Text("starting")).StartAsync(async context =>
        {
            try
            {
                while (true)
                {
                    context.UpdateTarget(Draw(LiveFigures.Read(runner, recorder, findings, views, ledger)));
                    await Task.Delay(s_interval, _time, cancellationToken);
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                context.UpdateTarget(Draw(LiveFigures.Read(runner, recorder, findings, views, ledger)));
            }
        });

    public void Say(string line) => _console.WriteLine(line);

    private static Table Draw(LiveFigures figures)
    {
        Table table = new Table().Border(TableBorder.Rounded).HideHeaders()
            .Title(string.Create(CultureInfo.InvariantCulture, $"optiks-stress  {figures.Now:0} s  epoch {figures.Epoch}"));
        // The table has three pairs of columns for names and figures, because a single row with all figures would not fit into 80 columns.
        for (int i = 0; i < 3; i++)
        {
            table.AddColumn(new TableColumn("").LeftAligned().Width(11)).AddColumn(new TableColumn("").RightAligned().Width(9));
        }
        string Number(double value, string format = "N0") => value.ToString(format, CultureInfo.InvariantCulture);
        string Alarm(long value) => value > 0 ? $"[red]{Number(value)}[/]" : "0";
        return table
            .AddRow("offered/s", Number(figures.Rate), "p50 ms", Number(figures.P50 / 1e3, "0.0"), "failed", Alarm(figures.Failed))
            .AddRow("completed/s", Number(figures.Completed), "p99 ms", Number(figures.P99 / 1e3, "0.0"), "not sent",
                Alarm(figures.NotSent))
            .AddRow("in flight", Number(figures.InFlight), "accepted", Number(figures.Accepted), "invalid", Alarm(figures.Invalid))
            .AddRow("", "", "verified", Number(figures.Verified), "", "");
    }
}
