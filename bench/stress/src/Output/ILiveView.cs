using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Output;

/// <summary>Shows a run while it is in progress.</summary>
internal interface ILiveView
{
    /// <summary>Shows the progress of the run until the caller cancels the call, which is the call's normal end.</summary>
    Task FollowAsync(LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger,
        CancellationToken cancellationToken);

    /// <summary>Prints one line.</summary>
    void Say(string line);
}
