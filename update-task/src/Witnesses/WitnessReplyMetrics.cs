using System.Diagnostics.Metrics;
using Optiks.Tlog;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>
/// Publishes metrics about witnesses: it counts their answers by witness and outcome, and shows their last cosignatures and the state of
/// the quorum.
/// </summary>
internal sealed class WitnessReplyMetrics : IDisposable
{
    private static readonly string[] s_outcomes = [.. Enum.GetNames<WitnessOutcome>().Select(name => name.ToLowerInvariant())];

    private readonly Meter _meter;
    private readonly Counter<long> _requests;

    public WitnessReplyMetrics(IMeterFactory factory, WitnessState state)
    {
        _meter = factory.Create("Optiks.UpdateTask");
        _requests = _meter.CreateCounter<long>(
            "optiks.task.witness.requests", "{request}", "Checkpoints that a witness was asked to cosign, by outcome.");
        _meter.CreateObservableGauge("optiks.task.witness.size", () => Measure(state, one => (long)one.Size), "{entry}",
            "Size of the last checkpoint that a witness cosigned.");
        _meter.CreateObservableGauge(
            "optiks.task.witness.time", () => Measure(state, one => (long)one.Time), "s", "Time of a witness's last cosignature.");
        _meter.CreateObservableGauge("optiks.task.witness.quorum", () => state.IsQuorumMet ? 1 : 0, "{quorum}",
            "0 while the newest checkpoint does not have enough cosignatures.");
        _meter.CreateObservableGauge("optiks.task.witness.waiting", () => (long)state.Waiting, "{epoch}",
            "Epochs that are signed but not published because their checkpoint waits for witnesses.");
    }

    public void Answered(VerifierKey witness, WitnessOutcome outcome) =>
        _requests.Add(1, Name(witness), new KeyValuePair<string, object?>("optiks.outcome", s_outcomes[(int)outcome]));

    public void Dispose() => _meter.Dispose();

    private static IEnumerable<Measurement<long>> Measure(WitnessState state, Func<WitnessStanding, long> value) =>
        state.Standings.Select(one => new Measurement<long>(value(one), Name(one.Witness)));

    private static KeyValuePair<string, object?> Name(VerifierKey witness) => new("optiks.witness", witness.Name);
}
