using Optiks.Commands;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db migrate</c>, which creates the database or upgrades its schema.</summary>
internal static class MigrateCommand
{
    public static async Task<int> RunAsync(Invocation invocation, CancellationToken cancellationToken)
    {
        TextWriter output = invocation.Output;
        Migrator migrator = invocation.CreateMigrator();
        IReadOnlyList<string> applied = await migrator.MigrateAsync(cancellationToken);
        IReadOnlyList<string> gaps = await migrator.FindGapsAsync(cancellationToken);
        if (invocation.Json)
        {
            await output.WriteLineAsync(JsonLine.Write(writer =>
            {
                writer.WriteString("provider", invocation.Provider);
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
        await output.WriteLineAsync(
            $"{migrator.Location} ({invocation.Provider}) has schema version {migrator.TargetVersion}{(applied.Count == 0 ? ", nothing to do" : "")}");
        foreach (string gap in gaps)
        {
            await output.WriteLineAsync($"note: {gap}");
        }
        return ExitCodes.Success;
    }
}
