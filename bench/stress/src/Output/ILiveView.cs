using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress.Output;

/// <summary>ILiveView shows a run while it goes on.</summary>
internal interface ILiveView
{
    /// <summary>FollowAsync until cancelled, which is its normal end.</summary>
    Task FollowAsync(LoadRunner runner, Recorder recorder, Findings findings, Views views, Ledger ledger, CancellationToken cancellationToken);

    /// <summary>Say one line.</summary>
    void Say(string line);
}
