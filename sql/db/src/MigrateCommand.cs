using System.Text.Json;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>MigrateCommand is <c>optiks-db migrate</c>.</summary>
internal static class MigrateCommand
{
    public static async Task<int> RunAsync(IStorageProvider provider, string connectionString, bool json, TextWriter output, CancellationToken cancellationToken)
    {
        IMigrator migrator = provider.CreateMigrator(connectionString);
        IReadOnlyList<string> applied = await migrator.MigrateAsync(cancellationToken);
        IReadOnlyList<string> gaps = await migrator.FindGapsAsync(cancellationToken);
        if (json)
        {
            await output.WriteLineAsync(JsonText.Write(writer =>
            {
                writer.WriteString("provider", provider.Name);
                writer.WriteString("database", migrator.Location);
                writer.WriteNumber("schema_version", migrator.TargetVersion);
                WriteList(writer, "applied", applied);
                WriteList(writer, "gaps", gaps);
            }));
            return ExitCodes.Success;
        }
        foreach (string name in applied)
        {
            await output.WriteLineAsync($"applied {name}");
        }
        await output.WriteLineAsync($"{migrator.Location} ({provider.Name}) has schema version {migrator.TargetVersion}{(applied.Count == 0 ? ", nothing to do" : "")}");
        foreach (string gap in gaps)
        {
            await output.WriteLineAsync($"note: {gap}");
        }
        return ExitCodes.Success;
    }

    private static void WriteList(Utf8JsonWriter writer, string name, IReadOnlyList<string> values)
    {
        writer.WriteStartArray(name);
        foreach (string value in values)
        {
            writer.WriteStringValue(value);
        }
        writer.WriteEndArray();
    }
}
