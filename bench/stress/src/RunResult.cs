using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>Holds all results of a finished run, from which the outputs are made.</summary>
internal sealed record RunResult
{
    public required TargetOptions Target { get; init; }

    public required RunOptions Options { get; init; }

    /// <summary>The time of second 0 of the run's clock.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>The measured time in seconds, without the warm-up.</summary>
    public required double Measured { get; init; }

    public required IReadOnlyDictionary<string, KindTotals> Kinds { get; init; }

    public required IReadOnlyList<Second> Seconds { get; init; }

    public required IReadOnlyList<Stage> Stages { get; init; }

    /// <summary>The totals of the windows of the measured time; empty unless windows were requested.</summary>
    public required IReadOnlyList<IReadOnlyDictionary<string, KindTotals>> Windows { get; init; }

    /// <summary>
    /// The number of versions of keys that the log had published before the run. Versions that the log's records no longer count are left
    /// out.
    /// </summary>
    public required ulong VersionsBefore { get; init; }

    /// <summary>The epochs that a replica showed during the load and the following settlement of updates.</summary>
    public required IReadOnlyList<EpochShown> Epochs { get; init; }

    public required Findings Findings { get; init; }

    /// <summary>The settlement of the run's updates; null if the mix has no updates.</summary>
    public required Settlement? Settlement { get; init; }

    /// <summary>Whether every verified answer was correct, and no accepted update was lost or doubled.</summary>
    public bool Good => Findings.Failed == 0 && (Settlement is null or { Lost: 0, Doubled: 0 });

    /// <summary>The stage with the highest rate that was not saturated; null if the run has no ramp or no such stage.</summary>
    public Stage? Sustained => Options.RampFactor is null ? null : Stages.Where(stage => !stage.Saturated).MaxBy(stage => stage.Rate);
}
