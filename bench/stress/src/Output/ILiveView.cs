using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Output;

/// <summary>Shows a run while it is in progress.</summary>
internal interface ILiveView
{
    /// <summary>Follows the run until the caller cancels; cancellation is the normal end of the call.</summary>
    Task FollowAsync(LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger, CancellationToken cancellationToken);

    /// <summary>Prints one line.</summary>
    void Say(string line);
}
