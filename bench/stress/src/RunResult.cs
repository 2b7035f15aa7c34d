using Optiks.Stress.Load;
using Optiks.Stress.Settling;
using Optiks.Stress.Traffic;

namespace Optiks.Stress;

/// <summary>RunResult is everything that a finished run knows, for the outputs.</summary>
internal sealed record RunResult
{
    public required TargetOptions Target { get; init; }

    public required RunOptions Options { get; init; }

    /// <summary>Started: second 0 of the run's clock.</summary>
    public required DateTimeOffset Started { get; init; }

    /// <summary>Measured seconds, without warm-up.</summary>
    public required double Measured { get; init; }

    public required IReadOnlyDictionary<string, KindTotals> Kinds { get; init; }

    public required IReadOnlyList<Second> Seconds { get; init; }

    public required IReadOnlyList<Stage> Stages { get; init; }

    /// <summary>Windows of the measured time; empty unless they were asked for.</summary>
    public required IReadOnlyList<IReadOnlyDictionary<string, KindTotals>> Windows { get; init; }

    /// <summary>VersionsBefore is how many versions of keys the log had published before the run, as far as it still counts them.</summary>
    public required ulong VersionsBefore { get; init; }

    /// <summary>Epochs that a replica showed during the run and its settlement.</summary>
    public required IReadOnlyList<EpochShown> Epochs { get; init; }

    public required Findings Findings { get; init; }

    /// <summary>Settlement of the updates; null when the mix has none.</summary>
    public required Settlement? Settlement { get; init; }

    /// <summary>Good: nothing verified was wrong, and no accepted update was lost or doubled.</summary>
    public bool Good => Findings.Failed == 0 && (Settlement is null or { Lost: 0, Doubled: 0 });

    /// <summary>Sustained is the fastest stage of a ramp that stayed within its bounds; null without one.</summary>
    public Stage? Sustained => Options.RampFactor is null ? null : Stages.Where(stage => !stage.Saturated).MaxBy(stage => stage.Rate);
}
