using System.Globalization;
using System.Text;
using Optiks.Commands;

namespace Optiks.Db.Planning;

/// <summary>Formats a plan as text for people and as JSON for scripts.</summary>
internal static class PlanText
{
    private static readonly (double Factor, string Unit)[] s_units = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];

    /// <summary>Returns a table in which each row has a part of the plan, its amount and the reason.</summary>
    public static string Table(Plan plan)
    {
        PlanQuestion question = plan.Question;
        var text = new StringBuilder();
        void Head(string title) => text.AppendLine().AppendLine(title);
        void Row(string what, string amount, string why) =>
            text.AppendLine(CultureInfo.InvariantCulture, $"  {what,-47} {amount,22}  {why}");

        text.AppendLine(CultureInfo.InvariantCulture,
            $"{Count(question.Keys)} keys, {Count(question.UpdatesPerSecond)} updates/s, {Count(question.LookupsPerSecond)} lookups/s, periods of {question.PeriodDays:G4} days of which {question.Periods} are served");
        Head("Logs");
        Row("logs in parallel", Count(plan.Logs), plan.Logs == 1 ? "one log carries everything" : "each key belongs to one of them");
        foreach (PlanBound bound in Plan.FindBounds(question))
        {
            Row($"  {bound.What}", string.Create(CultureInfo.InvariantCulture, $"{bound.Logs:0.00}"), "logs, if this were the only bound");
        }
        if (plan.Shorter() is { } shorter)
        {
            Row(string.Create(CultureInfo.InvariantCulture, $"  with periods of {shorter.Question.PeriodDays} days"), Count(shorter.Logs),
                "a period's leaves are its keys and the versions made in it");
        }
        Head("Each log");
        Row("keys; leaves at a period's end", $"{Count(plan.Keys)}; {Count(plan.Leaves)}", $"at most {Count(Plan.MaxLeaves)} leaves");
        Row("updates of an epoch", Count(plan.UpdatesPerEpoch),
            string.Create(CultureInfo.InvariantCulture, $"an epoch every {question.EpochSeconds:G4} s"));
        Row("preparing the next period", Duration(plan.SwitchSeconds), "in the background, before the switch");
        Row("database", Octets(plan.Database), $"with values of {question.ValueOctets.ToString(CultureInfo.InvariantCulture)} bytes");
        Row("board, a year", Octets(plan.BoardOctetsPerYear), "proofs and records, kept forever");
        Row("auditors: bytes a day; processors",
            $"{Octets(plan.AuditorOctetsPerDay)}; {plan.AuditorShare.ToString("0.000", CultureInfo.InvariantCulture)}", "each of them");
        Head("Hosts of each log");
        Row("update-task and its standby: memory", Octets(plan.TaskMemory), "at a switch, when it has two periods");
        Row("  disk", Octets(plan.TaskDisk), "leaf logs and snapshots");
        Row("query-services", Count(plan.Replicas), $"two cores each: at half of their capacity, plus one, at least {Plan.MinReplicas}");
        Row("  memory", Octets(plan.ReplicaMemory), "at a switch");
        Row("  disk", Octets(plan.ReplicaDisk), "leaf logs, snapshots, ended periods");
        Row("  in stored mode: memory", "1 GB",
            string.Create(CultureInfo.InvariantCulture,
                $"up to {MeasuredFigures.StoredLookupsPerSecond.Value:N0} lookups/s of the trees, from a disk"));
        Row("  in stored mode: disk", Octets(plan.StoredDisk), "node stores and leaf logs");
        Head("All logs");
        Row("query-services; their memory",
            $"{Count((double)plan.Logs * plan.Replicas)}; {Octets(plan.Logs * plan.Replicas * plan.ReplicaMemory)}", string.Empty);
        Row("database", Octets(plan.Logs * plan.Database), string.Empty);
        Head("Estimated from (two cores, docs/operations/scale.md says how)");
        foreach (MeasuredFigure figure in MeasuredFigures.All)
        {
            Row(figure.Name, figure.Value.ToString("N0", CultureInfo.InvariantCulture), figure.Page);
        }
        return text.ToString().TrimEnd();
    }

    /// <summary>Returns the plan as JSON, in bytes, seconds and counts.</summary>
    public static string Json(Plan plan) => JsonLine.Write(writer =>
    {
        writer.WriteNumber("logs", plan.Logs);
        writer.WriteStartObject("log");
        foreach ((string name, double amount) in Amounts(plan))
        {
            writer.WriteNumber(name, Math.Round(amount));
        }
        writer.WriteEndObject();
        writer.WriteStartArray("bounds");
        foreach (PlanBound bound in Plan.FindBounds(plan.Question))
        {
            writer.WriteStartObject();
            writer.WriteString("bound", bound.What);
            writer.WriteNumber("logs", Math.Round(bound.Logs, 3));
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
        writer.WriteStartArray("figures");
        foreach (MeasuredFigure figure in MeasuredFigures.All)
        {
            writer.WriteStartObject();
            writer.WriteString("figure", figure.Name);
            writer.WriteNumber("value", figure.Value);
            writer.WriteString("page", figure.Page);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    });

    private static IEnumerable<(string Name, double Amount)> Amounts(Plan plan) =>
    [
        ("keys", plan.Keys), ("leaves", plan.Leaves), ("updates_per_epoch", plan.UpdatesPerEpoch), ("switch_seconds", plan.SwitchSeconds),
        ("database_octets", plan.Database),
        ("board_octets_per_year", plan.BoardOctetsPerYear), ("auditor_octets_per_day", plan.AuditorOctetsPerDay),
        ("auditor_processor_ms_per_s", 1_000 * plan.AuditorShare),
        ("task_memory_octets", plan.TaskMemory), ("task_disk_octets", plan.TaskDisk), ("replicas", plan.Replicas),
        ("replica_memory_octets", plan.ReplicaMemory),
        ("replica_disk_octets", plan.ReplicaDisk), ("stored_replica_disk_octets", plan.StoredDisk),
    ];

    private static string Count(double count) => count < 1e6 ? count.ToString("#,0.##", CultureInfo.InvariantCulture)
        : count < 1e9 ? string.Create(CultureInfo.InvariantCulture, $"{count / 1e6:0.##} million")
        : string.Create(CultureInfo.InvariantCulture, $"{count / 1e9:0.##} billion");

    private static string Octets(double octets)
    {
        (double factor, string unit) = s_units.FirstOrDefault(one => octets >= one.Factor, (1, "bytes"));
        return string.Create(CultureInfo.InvariantCulture, $"{octets / factor:0.#} {unit}");
    }

    private static string Duration(double seconds) => seconds < 120 ? string.Create(CultureInfo.InvariantCulture, $"{seconds:0} s")
        : seconds < 7_200 ? string.Create(CultureInfo.InvariantCulture, $"{seconds / 60:0} minutes")
        : string.Create(CultureInfo.InvariantCulture, $"{seconds / 3_600:0.#} hours");
}
