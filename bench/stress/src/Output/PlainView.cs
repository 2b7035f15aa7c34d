using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Output;

/// <summary>Prints a line every few seconds, for an output that is not a terminal.</summary>
internal sealed class PlainView : ILiveView
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(5);
    private readonly TextWriter _output;
    private readonly TimeProvider _time;

    public PlainView(TextWriter output, TimeProvider time)
    {
        _output = output;
        _time = time;
    }

    public async Task FollowAsync(
        LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await Task.Delay(s_interval, _time, cancellationToken);
                Say(LiveFigures.Read(runner, recorder, findings, views, ledger).ToString());
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The caller cancels this call at the end of the run.
        }
    }

    public void Say(string line) => _output.WriteLine(line);
}
