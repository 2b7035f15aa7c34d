using Optiks.Commands;
using Optiks.Storage;

namespace Optiks.Db.Periods;

/// <summary>Implements <c>optiks-db period switch</c>, which asks the update-task to begin the next period.</summary>
internal static class PeriodSwitchRequest
{
    public static async Task<int> RunAsync(Invocation invocation, CancellationToken cancellationToken)
    {
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        PeriodTimes times = await PeriodTimes.ReadAsync(store, cancellationToken);
        ulong next = times.Current.Period + 1;
        // While a switch is under way, the command refuses the request, because the operator may mean the period that is just beginning.
        if (times.Current.FirstEpoch > (times.Head.PublishedEpoch ?? 0))
        {
            throw new PeriodRefusedException(
                $"Period {times.Current.Period} is just beginning, and its first epoch {times.Current.FirstEpoch} is not published yet. Run 'optiks-db period status' again later, and then request period {next} if you still want it.");
        }
        bool wasRequested = await store.ReadRequestedSwitchAsync(cancellationToken) == next;
        int staged = await store.CountCopiesAsync(next, cancellationToken);
        await store.RequestSwitchAsync(next, cancellationToken);
        await invocation.Output.WriteLineAsync(invocation.Json
            ? JsonLine.Write(writer =>
            {
                writer.WriteNumber("period", next);
                writer.WriteNumber("switch_not_before_ms", times.SwitchNotBefore.ToUnixTimeMilliseconds());
                writer.WriteBoolean("requested_before", wasRequested);
                writer.WriteNumber("copies", staged);
            })
            : FormattableString.Invariant(
                $"Period {next} was {(wasRequested ? "requested before" : "requested")}. It begins at {times.SwitchNotBefore:u} or later, once the update-task has staged its copies ({staged} so far)."));
        return ExitCodes.Success;
    }
}
