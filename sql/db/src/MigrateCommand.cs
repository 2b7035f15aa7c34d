using Optiks.Commands;
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
            await output.WriteLineAsync(JsonLine.Write(writer =>
            {
                writer.WriteString("provider", provider.Name);
                writer.WriteString("database", migrator.Location);
                writer.WriteNumber("schema_version", migrator.TargetVersion);
                JsonText.WriteList(writer, "applied", applied);
                JsonText.WriteList(writer, "gaps", gaps);
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
}
