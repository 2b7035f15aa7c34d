using System.Globalization;
using System.Net;
using System.Text;
using Optiks.Stress.Load;

namespace Optiks.Stress.Output;

/// <summary>Writes the results of a run as one self-contained HTML page, with figures and plots as inline SVG, and without
/// scripts.</summary>
internal static class HtmlReport
{
    private const string Style =
        """
        :root { color-scheme: light dark; --ink: #1c2430; --soft: #66707f; --line: #dfe3e8; --card: #fff; --page: #f5f6f8; --a: #2563c9; --b: #d97706; --c: #c42b3a; --good: #1b7f4d; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #98a2b0; --line: #333b47; --card: #1b2029; --page: #12161c; --a: #6ea8fe; --b: #f0b04f; --c: #ff7482; --good: #4cc38a; } }
        body { margin: 0 auto; max-width: 980px; padding: 28px 20px; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
        h1 { font-size: 24px; margin: 0; } h2 { font-size: 16px; margin: 0 0 8px; } p { margin: 4px 0; color: var(--soft); }
        section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; margin: 16px 0; overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } th, td { padding: 4px 8px; text-align: right; border-bottom: 1px solid var(--line); }
        th { color: var(--soft); font-weight: 500; } th:first-child, td:first-child { text-align: left; } .good { color: var(--good); } .bad { color: var(--c); }
        svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
        """;

    public static string Write(RunResult result)
    {
        var page = new StringBuilder();
        void Add(FormattableString text) => page.AppendLine(text.ToString(CultureInfo.InvariantCulture));
        Add(
            $"<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>optiks-stress</title><style>");
        page.AppendLine(Style);
        Add(
            $"</style></head><body><h1>Stress run: <span class=\"{(result.Good ? "good" : "bad")}\">{(result.Good ? "nothing wrong, nothing lost" : "wrong or lost answers")}</span></h1>");
        Add(
            $"<p>{result.Started:yyyy-MM-dd HH:mm:ss} UTC · {Text(result.Options.Mix.ToString())} · {result.Options.Arrivals.ToString().ToLowerInvariant()} arrivals, {result.Options.Rate:0.#}/s{(result.Options.RampFactor is { } factor ? $", times {factor.ToString(CultureInfo.InvariantCulture)} a stage" : "")} · {result.Measured:0} s after {result.Options.WarmUp:0} s of warm-up</p>");
        Add(
            $"<p>{Count(result.Target.QueryUrls.Count, "query-service")}, {Count(result.Target.UpdateUrls.Count, "update-service")} · {result.Target.Keys.Count:#,0} keys · {Text(JsonReport.Cpu())}, {Environment.ProcessorCount} cores · commit {Text(Short(JsonReport.Commit() ?? "unknown"))}</p>");
        AddChecks(result, Add);
        AddThroughput(result, page);
        AddLatency(result, page);
        AddPublication(result, page);
        AddKinds(result, Add);
        AddStages(result, Add);
        Add($"</body></html>");
        return page.ToString();
    }

    private static void AddChecks(RunResult result, Action<FormattableString> add)
    {
        add(
            $"<section><h2>Correctness</h2><div>{result.Findings.Verified:#,0} of {result.Findings.Answers:#,0} answers verified (share asked for: {result.Options.VerifyShare:0.###}); <b class=\"{Mood(result.Findings.Failed)}\">{result.Findings.Failed} wrong</b></div>");
        if (result.Settlement is { } settled)
        {
            add(
                $"<div>{settled.Accepted:#,0} updates accepted; {settled.Followed:#,0} of them followed, {settled.Published:#,0} published; <b class=\"{Mood(settled.Lost)}\">{settled.Lost} lost</b>, <b class=\"{Mood(settled.Doubled)}\">{settled.Doubled} doubled</b>; {settled.Uncertain} uncertain, {settled.Unsettled} of these unsettled, {settled.Unserved} of periods that are served no more; {settled.CheckedKeys:#,0} of {settled.UpdatedKeys:#,0} followed keys compared with their verified history</div>");
        }
        foreach (string text in result.Findings.Examples.Concat(result.Settlement?.Complaints ?? []))
        {
            add($"<div class=\"bad\">{Text(text)}</div>");
        }
        add($"</section>");
    }

    private static void AddThroughput(RunResult result, StringBuilder page)
    {
        int length = FullSeconds(result);
        double[] Of(Func<Second, double> value) => [.. result.Seconds.Take(length).Select(value)];
        var plot = new Plot(length, logarithmic: false, "requests/s");
        plot.Mark(result.Epochs.Select(epoch => epoch.At), result.Options.WarmUp);
        plot.Line("offered", "--soft", Of(second => second.Offered));
        plot.Line("completed", "--a", Of(second => second.Completed));
        plot.Line("failed or not sent", "--c", Of(second => second.Failed + second.NotSent));
        page.Append("<section><h2>Throughput</h2>").Append(plot.Draw())
            .AppendLine("<p>Thin lines: an epoch appeared. Shaded: warm-up.</p></section>");
    }

    private static void AddLatency(RunResult result, StringBuilder page)
    {
        int length = FullSeconds(result);
        double[] Of(double percent) => [.. result.Seconds.Take(length).Select(second => second.Latency.Percentile(percent) / 1e3)];
        var plot = new Plot(length, logarithmic: true, "ms");
        plot.Mark(result.Epochs.Select(epoch => epoch.At), result.Options.WarmUp);
        plot.Line("p50", "--a", Of(50));
        plot.Line("p99", "--b", Of(99));
        plot.Line("max", "--c", Of(100));
        page.Append("<section><h2>Latency from the intended start</h2>").Append(plot.Draw())
            .AppendLine("<p>Each second by when its requests were intended; logarithmic.</p></section>");
    }

    private static void AddPublication(RunResult result, StringBuilder page)
    {
        if (result.Settlement is not { } settled)
        {
            return;
        }
        int length = Math.Max(FullSeconds(result), (int)result.Epochs.Select(epoch => epoch.At).DefaultIfEmpty().Max() + 1);
        double[] accepted = new double[length];
        for (int i = 0; i < Math.Min(length, result.Seconds.Count); i++)
        {
            accepted[i] = result.Seconds[i].Updates;
        }
        double[] published = new double[length];
        ulong before = result.VersionsBefore;
        foreach (EpochShown epoch in result.Epochs.Where(epoch => epoch.At >= 0))
        {
            published[(int)epoch.At] += epoch.Versions - before;
            before = epoch.Versions;
        }
        var plot = new Plot(length, logarithmic: false, "updates/s");
        plot.Mark(result.Epochs.Select(epoch => epoch.At), result.Options.WarmUp);
        plot.Line("accepted", "--a", accepted);
        plot.Line("published", "--good", published);
        Histogram delay = settled.Delay;
        page.Append("<section><h2>Updates</h2>").Append(plot.Draw()).AppendLine(CultureInfo.InvariantCulture,
            $"<p>From acceptance until a replica shows the epoch: p50 {delay.Percentile(50) / 1e6:0.000} s, p90 {delay.Percentile(90) / 1e6:0.000} s, p99 {delay.Percentile(99) / 1e6:0.000} s, max {delay.Max / 1e6:0.000} s. All settled {settled.Seconds:0.0} s after the load. Published: by the records, and so everyone's.</p></section>");
    }

    private static void AddKinds(RunResult result, Action<FormattableString> add)
    {
        add(
            $"<section><h2>Operations</h2><table><tr><th>operation<th>answered/s<th>p50 ms<th>p90 ms<th>p99 ms<th>p99.9 ms<th>max ms<th>KiB/answer<th>failed<th>not sent</tr>");
        foreach ((string name, KindTotals totals) in result.Kinds)
        {
            Histogram latency = totals.Latency;
            add(
                $"<tr><td>{name}<td>{totals.Answered / result.Measured:0.0}<td>{latency.Percentile(50) / 1e3:0.00}<td>{latency.Percentile(90) / 1e3:0.00}<td>{latency.Percentile(99) / 1e3:0.00}<td>{latency.Percentile(99.9) / 1e3:0.00}<td>{latency.Max / 1e3:0.00}<td>{totals.Octets / 1024.0 / Math.Max(1, totals.Answered):0.0}<td class=\"{Mood(totals.Failed)}\">{totals.Failed}<td class=\"{Mood(totals.NotSent)}\">{totals.NotSent}</tr>");
            foreach ((string error, long count) in totals.Errors)
            {
                add($"<tr><td class=\"bad\" colspan=\"10\">{Text(error)}: {count}</tr>");
            }
        }
        add($"</table></section>");
    }

    private static void AddStages(RunResult result, Action<FormattableString> add)
    {
        if (result.Options.RampFactor is null)
        {
            return;
        }
        add($"<section><h2>Ramp</h2><table><tr><th>offered/s<th>completed/s<th>p99 ms<th>failed or unsent<th></tr>");
        foreach (Stage stage in result.Stages)
        {
            add(
                $"<tr><td>{stage.Rate:0}<td>{stage.Answered:0}<td>{stage.P99 * 1e3:0.0}<td>{stage.BadShare * 100:0.00} %<td>{(stage.Saturated ? "saturated" : "")}</tr>");
        }
        add(
            $"</table><p>Saturated: p99 above {result.Options.LimitLatency * 1e3:0} ms, or more than {result.Options.LimitErrors * 100:0.##} % failed or unsent.</p></section>");
    }

    // Returns the number of complete seconds of the run. The last second is usually incomplete and is left out.
    private static int FullSeconds(RunResult result) =>
        Math.Min(result.Seconds.Count, Math.Max(1, (int)(result.Stages.Count > 0 ? result.Stages[^1].End : result.Options.WarmUp)));

    private static string Short(string commit) => commit[..Math.Min(commit.Length, 12)];

    private static string Count(int count, string what) =>
        string.Create(CultureInfo.InvariantCulture, $"{count} {what}{(count == 1 ? "" : "s")}");

    private static string Mood(long bad) => bad > 0 ? "bad" : "good";

    private static string Text(string text) => WebUtility.HtmlEncode(text);
}
