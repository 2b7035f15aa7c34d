using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>All results of a finished run, for the outputs.</summary>
internal sealed record RunResult
{
    public required TargetOptions Target { get; init; }

    public required RunOptions Options { get; init; }

    /// <summary>The time of second 0 of the run's clock.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>The measured seconds, without warm-up.</summary>
    public required double Measured { get; init; }

    public required IReadOnlyDictionary<string, KindTotals> Kinds { get; init; }

    public required IReadOnlyList<Second> Seconds { get; init; }

    public required IReadOnlyList<Stage> Stages { get; init; }

    /// <summary>The windows of the measured time; empty unless windows were requested.</summary>
    public required IReadOnlyList<IReadOnlyDictionary<string, KindTotals>> Windows { get; init; }

    /// <summary>
    /// The number of versions of keys that the log had published before the run, as far as its records still count these versions.
    /// </summary>
    public required ulong VersionsBefore { get; init; }

    /// <summary>The epochs that a replica showed during the run and its settlement of updates.</summary>
    public required IReadOnlyList<EpochShown> Epochs { get; init; }

    public required Findings Findings { get; init; }

    /// <summary>The settlement of the updates; null when the mix has no updates.</summary>
    public required Settlement? Settlement { get; init; }

    /// <summary>Whether every verified answer was correct, and no accepted update was lost or doubled.</summary>
    public bool Good => Findings.Failed == 0 && (Settlement is null or { Lost: 0, Doubled: 0 });

    /// <summary>The fastest stage of a ramp that stayed within its bounds; null if the run has no ramp.</summary>
    public Stage? Sustained => Options.RampFactor is null ? null : Stages.Where(stage => !stage.Saturated).MaxBy(stage => stage.Rate);
}
