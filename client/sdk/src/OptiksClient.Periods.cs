using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    // The record of the last epoch of a period; null: it has not ended, or the answer is refused.
    private async Task<(Outcome<IReadOnlyList<byte[]>> Outcome, byte[]? Ended)> FindEndAsync(ulong period, CancellationToken cancellationToken)
    {
        Outcome<IReadOnlyList<byte[]>> outcome = await _exchanger.RunAsync(new PeriodsExchange(Math.Min(period, _store.Current.Head?.Period ?? period)), cancellationToken).ConfigureAwait(false);
        return (outcome, outcome.Learnt?.FirstOrDefault(octets => EpochRecord.PeriodOf(octets) == period));
    }

    // Whether what a server says is gone may be gone. Before that the log must still serve the period (docs/spec/periods.md section 8), and who says otherwise is not believed: "no guarantee" could be had at any time, by saying so.
    private async Task<bool> MayBeGoneAsync(ulong period, CancellationToken cancellationToken)
    {
        while (true)
        {
            ulong current = _store.Current.Head!.Period;
            if (current - period >= _options.TrustAnchor.Configuration.RetainedPeriods)
            {
                return true;
            }
            // The log may have gone on since.
            Outcome<IReadOnlyList<byte[]>> outcome = await _exchanger.RunAsync(new PeriodsExchange(current), cancellationToken).ConfigureAwait(false);
            if (outcome.Reason != Reason.Valid || _store.Current.Head!.Period == current)
            {
                return false;
            }
        }
    }

    private static ArgumentOutOfRangeException NotBegun(ulong period, ulong current) => new(nameof(period), $"The log is in period {current}: it has not begun period {period}.");

    private static OptiksServerException GoneTooEarly(OptiksServerException gone, ulong period) => new(
        ServerFailure.Refused, gone.Server!, $"{gone.Server!.Authority} says that period {period} is gone, which this log has promised to serve still: what was shown in it cannot be verified now.", gone)
    {
        Status = gone.Status,
        Problem = gone.Problem,
        TraceId = gone.TraceId,
    };
}
