using System.Globalization;
using Optiks.Commands;
using Optiks.Storage;

namespace Optiks.Db.Periods;

/// <summary>Implements <c>optiks-db period status</c>, which shows the log's periods and their times.</summary>
internal static class PeriodStatus
{
    private static readonly string[] s_columns = ["period", "state", "first epoch", "begun", "last epoch", "copies",
        "served at least until"];

    public static async Task<int> RunAsync(Invocation invocation, CancellationToken cancellationToken)
    {
        await using PipelineStore store = await invocation.OpenPipelineAsync(cancellationToken);
        PeriodTimes times = await PeriodTimes.ReadAsync(store, cancellationToken);
        ulong next = times.Current.Period + 1;
        int staged = await store.CountCopiesAsync(next, cancellationToken);
        bool isRequested = await store.ReadRequestedSwitchAsync(cancellationToken) == next;
        await invocation.Output.WriteLineAsync(invocation.Json ? Json(times, staged, isRequested) : Table(times, staged, isRequested));
        return ExitCodes.Success;
    }

    private static string Json(PeriodTimes times, int staged, bool isRequested) => JsonLine.Write(writer =>
    {
        writer.WriteNumber("current", times.Current.Period);
        writer.WriteNumber("retained_periods", times.Configuration.RetainedPeriods);
        writer.WriteNumber("period_length_ms", times.Configuration.PeriodLengthMs);
        writer.WriteNumber("switch_not_before_ms", times.SwitchNotBefore.ToUnixTimeMilliseconds());
        writer.WriteBoolean("switch_requested", isRequested);
        writer.WriteStartArray("periods");
        foreach (PeriodRow period in times.Periods)
        {
            writer.WriteStartObject();
            writer.WriteNumber("period", period.Period);
            writer.WriteString("state", DescribeState(period));
            writer.WriteNumber("copies", period.Copies ?? staged);
            if (period.FirstEpoch is ulong first)
            {
                writer.WriteNumber("first_epoch", first);
                writer.WriteNumber("first_time_ms", times.Start(period.Period).ToUnixTimeMilliseconds());
                writer.WriteBoolean("served", times.IsServed(period.Period));
                if (times.IsServed(period.Period))
                {
                    writer.WriteNumber("served_until_ms", times.ServedUntil(period.Period).ToUnixTimeMilliseconds());
                }
            }
            if (times.LastEpoch(period.Period) is ulong last)
            {
                writer.WriteNumber("last_epoch", last);
            }
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    });

    private static string Table(PeriodTimes times, int staged, bool isRequested)
    {
        List<string[]> rows = [s_columns];
        foreach (PeriodRow period in times.Periods)
        {
            bool isNext = period.FirstEpoch is null;
            rows.Add(
            [
                Text(period.Period),
                DescribeState(period),
                Text(period.FirstEpoch),
                isNext ? "-" : $"{times.Start(period.Period):u}",
                Text(times.LastEpoch(period.Period)),
                Text((ulong)(period.Copies ?? staged)),
                isNext ? "-" : times.IsServed(period.Period) ? $"{times.ServedUntil(period.Period):u}" : "not served",
            ]);
        }
        int[] widths = [.. s_columns.Select((_, i) => rows.Max(row => row[i].Length))];
        IEnumerable<string> lines = rows.Select(row => string.Join("  ", row.Select((cell, i) => cell.PadRight(widths[i]))).TrimEnd());
        string when = isRequested
            ? "The switch has been requested: the update-task makes it then, or as soon afterwards as the copies are staged."
            : "The update-task makes the switch then, or later if it is configured so (Optiks:Periods). Where Optiks:Periods:Automatic is false, it waits for 'optiks-db period switch'.";
        return string.Join(Environment.NewLine,
            [.. lines, "",
                FormattableString.Invariant($"Period {times.Current.Period + 1} may begin at {times.SwitchNotBefore:u}. {when}")]);
    }

    private static string DescribeState(PeriodRow period) => period.State.ToString().ToLowerInvariant();

    private static string Text(ulong? number) => number?.ToString(CultureInfo.InvariantCulture) ?? "-";
}
