using System.Reflection;
using System.Text.Json;
using Optiks.Stress.Load;

namespace Optiks.Stress.Output;

/// <summary>
/// Writes the figures of a run as JSON. The JSON has the members <c>cpu, cores, commit, results</c>, as the result files of all benchmarks
/// of this project, and further figures of the stress run. In <c>results</c>, baseline and ratio are null, because a run measures no
/// baseline.
/// </summary>
internal static class JsonReport
{
    public static byte[] Write(RunResult result)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream, new JsonWriterOptions { Indented = true }))
        {
            writer.WriteStartObject();
            writer.WriteString("cpu", Cpu());
            writer.WriteNumber("cores", Environment.ProcessorCount);
            writer.WriteString("commit", Commit());
            writer.WriteString("started", result.Started);
            writer.WriteString("mix", result.Options.Mix.ToString());
            writer.WriteString("arrivals", result.Options.Arrivals.ToString().ToLowerInvariant());
            writer.WriteNumber("rate", result.Options.Rate);
            writer.WriteNumber("warm_up_s", result.Options.WarmUp);
            writer.WriteNumber("measured_s", result.Measured);
            writer.WriteNumber("seed", result.Options.Seed);
            writer.WriteNumber("replicas", result.Target.QueryUrls.Count);
            writer.WriteNumber("update_services", result.Target.UpdateUrls.Count);
            writer.WriteNumber("keys", result.Target.Keys.Count);
            writer.WriteNumber("key_zipf_exponent", result.Options.ZipfExponent);
            WriteResults(writer, result);
            WriteErrors(writer, result);
            WriteVerification(writer, result);
            WriteUpdates(writer, result);
            WriteStages(writer, result);
            WriteWindows(writer, result);
            WriteSeconds(writer, result);
            writer.WriteEndObject();
        }
        return [.. stream.ToArray(), (byte)'\n'];
    }

    private static void WriteResults(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartArray("results");
        foreach ((string name, KindTotals totals) in result.Kinds)
        {
            Row(writer, $"{name}/answered", "per s", totals.Answered / result.Measured);
            Row(writer, $"{name}/items", "per s", totals.Items / result.Measured);
            Row(writer, $"{name}/p50", "s", totals.Latency.Percentile(50) / 1e6);
            Row(writer, $"{name}/p90", "s", totals.Latency.Percentile(90) / 1e6);
            Row(writer, $"{name}/p99", "s", totals.Latency.Percentile(99) / 1e6);
            Row(writer, $"{name}/p99.9", "s", totals.Latency.Percentile(99.9) / 1e6);
            Row(writer, $"{name}/max", "s", totals.Latency.Max / 1e6);
        }
        if (result.Settlement is { Delay: { Count: > 0 } delay })
        {
            Row(writer, "published/p50", "s", delay.Percentile(50) / 1e6);
            Row(writer, "published/p90", "s", delay.Percentile(90) / 1e6);
            Row(writer, "published/p99", "s", delay.Percentile(99) / 1e6);
            Row(writer, "published/max", "s", delay.Max / 1e6);
        }
        if (result.Options.RampFactor is not null)
        {
            Row(writer, "sustained", "per s", result.Sustained?.Rate ?? 0);
        }
        writer.WriteEndArray();
    }

    private static void Row(Utf8JsonWriter writer, string name, string unit, double value)
    {
        writer.WriteStartObject();
        writer.WriteString("name", name);
        writer.WriteString("unit", unit);
        writer.WriteNumber("value", value);
        writer.WriteNull("baseline");
        writer.WriteNull("ratio");
        writer.WriteStartArray("samples");
        writer.WriteNumberValue(value);
        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    private static void WriteErrors(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartArray("errors");
        foreach ((string name, KindTotals totals) in result.Kinds)
        {
            foreach ((string error, long count) in totals.Errors.Append(new("not-sent-in-time", totals.NotSent))
                .Where(pair => pair.Value > 0))
            {
                writer.WriteStartObject();
                writer.WriteString("operation", name);
                writer.WriteString("error", error);
                writer.WriteNumber("count", count);
                writer.WriteEndObject();
            }
        }
        writer.WriteEndArray();
    }

    private static void WriteVerification(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartObject("verification");
        writer.WriteNumber("share", result.Options.VerifyShare);
        writer.WriteNumber("answers", result.Findings.Answers);
        writer.WriteNumber("verified", result.Findings.Verified);
        writer.WriteNumber("wrong", result.Findings.Failed);
        Strings(writer, "examples", result.Findings.Examples);
        writer.WriteEndObject();
    }

    private static void WriteUpdates(Utf8JsonWriter writer, RunResult result)
    {
        if (result.Settlement is not { } settled)
        {
            writer.WriteNull("updates");
            return;
        }
        writer.WriteStartObject("updates");
        writer.WriteNumber("accepted", settled.Accepted);
        writer.WriteNumber("followed", settled.Followed);
        writer.WriteNumber("published", settled.Published);
        writer.WriteNumber("lost", settled.Lost);
        writer.WriteNumber("doubled", settled.Doubled);
        writer.WriteNumber("uncertain", settled.Uncertain);
        writer.WriteNumber("unsettled", settled.Unsettled);
        writer.WriteNumber("unserved", settled.Unserved);
        writer.WriteNumber("updated_keys", settled.UpdatedKeys);
        writer.WriteNumber("checked_keys", settled.CheckedKeys);
        writer.WriteNumber("settled_s", settled.Seconds);
        Strings(writer, "complaints", settled.Complaints);
        writer.WriteEndObject();
    }

    private static void WriteStages(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartArray("stages");
        foreach (Stage stage in result.Stages)
        {
            writer.WriteStartObject();
            writer.WriteNumber("rate", stage.Rate);
            writer.WriteNumber("start_s", stage.Start);
            writer.WriteNumber("end_s", stage.End);
            writer.WriteNumber("completed_per_s", stage.Answered);
            writer.WriteNumber("p99_s", stage.P99);
            writer.WriteNumber("bad_share", stage.BadShare);
            writer.WriteBoolean("saturated", stage.Saturated);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    private static void WriteWindows(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartArray("windows");
        for (int i = 0; i < result.Windows.Count; i++)
        {
            writer.WriteStartObject();
            writer.WriteNumber("start_s", result.Options.WarmUp + (i * result.Options.Window!.Value));
            writer.WriteStartArray("operations");
            foreach ((string name, KindTotals totals) in result.Windows[i])
            {
                writer.WriteStartObject();
                writer.WriteString("operation", name);
                writer.WriteNumber("answered", totals.Answered);
                writer.WriteNumber("failed", totals.Failed);
                writer.WriteNumber("not_sent", totals.NotSent);
                writer.WriteNumber("p50_s", totals.Latency.Percentile(50) / 1e6);
                writer.WriteNumber("p99_s", totals.Latency.Percentile(99) / 1e6);
                writer.WriteNumber("max_s", totals.Latency.Max / 1e6);
                WriteLatencies(writer, totals.Latency);
                writer.WriteEndObject();
            }
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    // Writes the buckets of a histogram. From them a reader can compute percentiles over several windows.
    private static void WriteLatencies(Utf8JsonWriter writer, Histogram latency)
    {
        writer.WriteStartArray("latencies_us");
        foreach ((long upperEdge, long count) in latency.Buckets)
        {
            writer.WriteStartArray();
            writer.WriteNumberValue(upperEdge);
            writer.WriteNumberValue(count);
            writer.WriteEndArray();
        }
        writer.WriteEndArray();
    }

    private static void WriteSeconds(Utf8JsonWriter writer, RunResult result)
    {
        writer.WriteStartArray("seconds");
        foreach (Second second in result.Seconds)
        {
            writer.WriteStartObject();
            writer.WriteNumber("offered", second.Offered);
            writer.WriteNumber("completed", second.Completed);
            writer.WriteNumber("updates", second.Updates);
            writer.WriteNumber("failed", second.Failed);
            writer.WriteNumber("not_sent", second.NotSent);
            writer.WriteNumber("in_flight", second.InFlight);
            writer.WriteNumber("p50_s", second.Latency.Percentile(50) / 1e6);
            writer.WriteNumber("p99_s", second.Latency.Percentile(99) / 1e6);
            writer.WriteNumber("max_s", second.Latency.Max / 1e6);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        writer.WriteNumber("versions_before", result.VersionsBefore);
        writer.WriteStartArray("epochs");
        foreach (EpochShown epoch in result.Epochs)
        {
            writer.WriteStartObject();
            writer.WriteNumber("epoch", epoch.Epoch);
            writer.WriteNumber("period", epoch.Period);
            writer.WriteNumber("at_s", epoch.At);
            writer.WriteNumber("versions", epoch.Versions);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }

    private static void Strings(Utf8JsonWriter writer, string name, IEnumerable<string> texts)
    {
        writer.WriteStartArray(name);
        foreach (string text in texts)
        {
            writer.WriteStringValue(text);
        }
        writer.WriteEndArray();
    }

    internal static string Cpu() => File.Exists("/proc/cpuinfo")
        ? File.ReadLines("/proc/cpuinfo").FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':', 2)[1]
            .Trim() ?? "unknown"
        : "unknown";

    // Returns the commit that was built, or null. The build appends it to the version, after a plus sign.
    internal static string? Commit() =>
        typeof(JsonReport).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+', 2) is [_,
            string commit] ? commit : null;
}
