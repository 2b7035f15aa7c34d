using Optiks.Protocol;

namespace Optiks.Client;

public sealed partial class OptiksClient
{
    // Returns the record of the last epoch of a period; null if the period has not ended, or if the client refused the answer. The call may
    // request several pages.
    private async Task<(Outcome<IReadOnlyList<byte[]>> Outcome, byte[]? Ended)> FindEndAsync(
        ulong period, CancellationToken cancellationToken)
    {
        if (_store.Current.Head is null)
        {
            // The question must begin with a period that has begun, so the client must first learn the log's current period.
            Outcome head = await _exchanger.RunAsync(new HeadExchange(), cancellationToken).ConfigureAwait(false);
            if (head.Reason != Reason.Valid)
            {
                return (new Outcome<IReadOnlyList<byte[]>>(head.Reason, null,
                    null)
                { EvidencePath = head.EvidencePath, Detail = head.Detail }, null);
            }
        }
        ulong from = Math.Min(period, _store.Current.Head?.Period ?? period);
        while (true)
        {
            Outcome<IReadOnlyList<byte[]>> outcome =
                await _exchanger.RunAsync(new PeriodsExchange(from), cancellationToken).ConfigureAwait(false);
            byte[]? ended = outcome.Learnt?.FirstOrDefault(octets => EpochRecord.ReadPeriod(octets) == period);
            if (ended is not null || outcome.Head is not { } head || head.Period - from < PeriodsExchange.LastOfPage)
            {
                return (outcome, ended);
            }
            from = head.Period;
        }
    }

    // Tells whether the log may already have dropped the data that a server reports as gone. As long as the period is among the retained
    // periods, the log must still serve its data (docs/spec/periods.md section 8). Without this check, any server could make an owner
    // record "no guarantee" just by claiming that a period is gone.
    private async Task<bool> MayBeGoneAsync(ulong period, CancellationToken cancellationToken)
    {
        while (true)
        {
            ulong current = _store.Current.Head!.Period;
            if (current - period >= _options.TrustAnchor.Configuration.RetainedPeriods)
            {
                return true;
            }
            // The log may have begun further periods since this client's newest head, so ask for the current period.
            Outcome<IReadOnlyList<byte[]>> outcome =
                await _exchanger.RunAsync(new PeriodsExchange(current), cancellationToken).ConfigureAwait(false);
            if (outcome.Reason != Reason.Valid || _store.Current.Head!.Period == current)
            {
                return false;
            }
        }
    }

    // Tells whether the server reports that the end of the period, or a value in that period, can no longer be shown.
    private static bool IsEndMissing(OptiksServerException said) => said.Problem is ProblemNames.PeriodGone or ProblemNames.Erased;

    // Throws if the server reports a period as gone too early, or reports as erased a value that was not erased (docs/spec/periods.md
    // section 7).
    private async Task ThrowUnlessMissingAsync(
        OptiksServerException said, ulong period, Func<ulong, Task<bool>> isCopyErased, CancellationToken cancellationToken)
    {
        if (said.Problem == ProblemNames.PeriodGone)
        {
            if (!await MayBeGoneAsync(period, cancellationToken).ConfigureAwait(false))
            {
                throw Disbelieved(said, $"that period {period} is gone, which this log has promised to serve still");
            }
            return;
        }
        for (ulong next = period + 1; ; next++)
        {
            try
            {
                if (!await isCopyErased(next).ConfigureAwait(false))
                {
                    throw Disbelieved(
                        said, $"that a value at the end of period {period} is erased, and not that its copy in period {next} is");
                }
                return;
            }
            catch (OptiksServerException e) when (e.Problem == ProblemNames.Erased && next < _store.Current.Head!.Period)
            {
                // An erased copy has erased copies in later periods too, so check the copy in the next period that a server still shows.
            }
        }
    }

    private static ArgumentOutOfRangeException NotBegun(ulong period, ulong current) =>
        new(nameof(period), $"The log is in period {current}: it has not begun period {period}.");

    private static OptiksServerException Disbelieved(OptiksServerException said, string what) => new(
        ServerFailure.Refused, said.Server!, $"{said.Server!.Authority} says {what}: what was shown then cannot be verified now.", said)
    {
        Status = said.Status,
        Problem = said.Problem,
        TraceId = said.TraceId,
    };
}
