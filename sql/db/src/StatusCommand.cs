using System.Globalization;
using System.Text.Json;
using Optiks.Commands;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db status</c>, which shows the state of the database.</summary>
internal static class StatusCommand
{
    public static async Task<int> RunAsync(Invocation invocation, CancellationToken cancellationToken)
    {
        Migrator migrator = invocation.CreateMigrator();
        int version = await migrator.ReadVersionAsync(cancellationToken);
        if (version != migrator.TargetVersion)
        {
            await WriteAsync(invocation, migrator, version, null);
            return ExitCodes.Configuration;
        }
        await using PipelineStore store = await invocation.OpenPipelineAsync(cancellationToken);
        var contents = new Contents(
            await store.ReadHeadAsync(cancellationToken), await store.CountPendingAsync(cancellationToken),
            await store.ReadClockAsync(cancellationToken));
        await WriteAsync(invocation, migrator, version, contents);
        return ExitCodes.Success;
    }

    private static Task WriteAsync(Invocation invocation, Migrator migrator, int version, Contents? contents) =>
        invocation.Output.WriteLineAsync(
            invocation.Json
                ? Json(invocation.Provider, migrator, version, contents)
                : Table(invocation.Provider, migrator, version, contents));

    private static string Json(string provider, Migrator migrator, int version, Contents? contents) => JsonLine.Write(writer =>
    {
        writer.WriteString("provider", provider);
        writer.WriteString("database", migrator.Location);
        writer.WriteNumber("schema_version", version);
        writer.WriteNumber("expected_schema_version", migrator.TargetVersion);
        if (contents is null)
        {
            return;
        }
        WriteEpoch(writer, "epoch", contents.Head.Epoch);
        WriteEpoch(writer, "published_epoch", contents.Head.PublishedEpoch);
        writer.WriteString("record_hash", Convert.ToHexStringLower(contents.Head.RecordHash.Span));
        writer.WriteNumber("pending_updates", contents.Pending);
        writer.WriteNumber("fence", contents.Head.Fence);
        writer.WriteString("lease_holder", contents.Head.Holder);
        writer.WriteBoolean("lease_runs", contents.LeaseRuns);
    });

    private static void WriteEpoch(Utf8JsonWriter writer, string name, ulong? epoch)
    {
        if (epoch is ulong number)
        {
            writer.WriteNumber(name, number);
        }
        else
        {
            writer.WriteNull(name);
        }
    }

    private static string Table(string provider, Migrator migrator, int version, Contents? contents)
    {
        string schema = version == migrator.TargetVersion
            ? string.Create(CultureInfo.InvariantCulture, $"{version}")
            : string.Create(CultureInfo.InvariantCulture,
                $"{version}, this release needs {migrator.TargetVersion}: {(version < migrator.TargetVersion ? "run 'optiks-db migrate'" : "use a newer release")}");
        List<(string Name, string Value)> lines = [("database", $"{migrator.Location} ({provider})"), ("schema version", schema)];
        if (contents is not null)
        {
            HeadRow head = contents.Head;
            lines.Add(("last epoch", Text(head.Epoch)));
            lines.Add(("published epoch", Text(head.PublishedEpoch)));
            lines.Add(("record hash", head.RecordHash.IsEmpty ? "none" : Convert.ToHexStringLower(head.RecordHash.Span)));
            lines.Add(("pending updates", contents.Pending.ToString(CultureInfo.InvariantCulture)));
            lines.Add(
                ("lease", head.Holder.Length == 0
                    ? "free"
                    : $"{head.Holder}, {(contents.LeaseRuns ? "until" : "ended")} {head.LeaseEnd:u}, fence {head.Fence}"));
        }
        return string.Join(Environment.NewLine, lines.Select(line => $"{line.Name,-16} {line.Value}"));
    }

    private static string Text(ulong? epoch) => epoch?.ToString(CultureInfo.InvariantCulture) ?? "none";

    private sealed record Contents(HeadRow Head, long Pending, DateTimeOffset Now)
    {
        public bool LeaseRuns => Head.Holder.Length > 0 && Head.LeaseEnd > Now;
    }
}
