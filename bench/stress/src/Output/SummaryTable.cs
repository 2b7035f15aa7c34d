using System.Globalization;
using Optiks.Stress.Load;

namespace Optiks.Stress.Output;

/// <summary>Prints the results of a run as a table for people.</summary>
internal static class SummaryTable
{
    public static void Write(RunResult result, TextWriter output)
    {
        void Line(FormattableString text) => output.WriteLine(text.ToString(CultureInfo.InvariantCulture));
        Line($"");
        Line(
            $"{"operation",-12}{"answered/s",12}{"p50 ms",10}{"p90 ms",10}{"p99 ms",10}{"p99.9 ms",10}{"max ms",10}{"failed",9}{"not sent",10}");
        foreach ((string name, KindTotals totals) in result.Kinds)
        {
            Histogram latency = totals.Latency;
            Line(
                $"{name,-12}{totals.Answered / result.Measured,12:0.0}{latency.Percentile(50) / 1e3,10:0.00}{latency.Percentile(90) / 1e3,10:0.00}{latency.Percentile(99) / 1e3,10:0.00}{latency.Percentile(99.9) / 1e3,10:0.00}{latency.Max / 1e3,10:0.00}{totals.Failed,9}{totals.NotSent,10}");
            foreach ((string error, long count) in totals.Errors)
            {
                Line($"{"",-12}{error}: {count}");
            }
        }
        if (result.Options.RampFactor is not null)
        {
            foreach (Stage stage in result.Stages)
            {
                Line(
                    $"stage {stage.Rate:0}/s: completed {stage.Answered:0}/s, p99 {stage.P99 * 1e3:0.0} ms, failed or unsent {stage.BadShare:P2}{(stage.Saturated ? ", saturated" : "")}");
            }
            Line(
                $"sustained: {(result.Sustained is { } stage2 ? stage2.Rate.ToString("0", CultureInfo.InvariantCulture) + "/s" : "none of these rates")}");
        }
        Line(
            $"verified {result.Findings.Verified} of {result.Findings.Answers} answers (share asked for: {result.Options.VerifyShare}), wrong: {result.Findings.Failed}");
        foreach (string example in result.Findings.Examples)
        {
            Line($"  {example}");
        }
        if (result.Settlement is { } settled)
        {
            Line(
                $"updates: accepted {settled.Accepted}, followed {settled.Followed}, published {settled.Published}, lost {settled.Lost}, doubled {settled.Doubled}; uncertain {settled.Uncertain}, unsettled {settled.Unsettled}, of periods that are served no more {settled.Unserved}; {settled.CheckedKeys} of {settled.UpdatedKeys} keys compared with their history; settled in {settled.Seconds:0.0} s");
            Line(
                $"accepted until shown by a replica: p50 {settled.Delay.Percentile(50) / 1e6:0.000} s, p90 {settled.Delay.Percentile(90) / 1e6:0.000} s, p99 {settled.Delay.Percentile(99) / 1e6:0.000} s, max {settled.Delay.Max / 1e6:0.000} s");
            foreach (string complaint in settled.Complaints)
            {
                Line($"  {complaint}");
            }
        }
    }
}
