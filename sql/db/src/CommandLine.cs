using System.CommandLine;
using Optiks.ApiKeys;
using Optiks.Commands;
using Optiks.Db.Keys;
using Optiks.Db.Periods;
using Optiks.Db.Planning;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Storage.Hosting;

namespace Optiks.Db;

/// <summary>Defines the command line of <c>optiks-db</c>: its commands, options and exit codes.</summary>
internal static class CommandLine
{
    // The names of the environment variables with which the services are configured.
    private const string ProviderVariable = "Optiks__Storage__Provider";
    private const string ConnectionVariable = "Optiks__Storage__ConnectionString";
    private const string LogKeyVariable = "Optiks__LogKey__Uri";
    private const string KekVariable = "Optiks__Kek__File";

    private static readonly Dictionary<string, string[]> s_examples = new(StringComparer.Ordinal)
    {
        [""] = ["optiks-db migrate", "optiks-db status", "optiks-db fsck --board $OPTIKS_DATA/board",
            "optiks-db api-key add delivery-service --scope update,history"],
        ["period"] = ["optiks-db period status", "optiks-db period switch", "optiks-db period archive 0 period-0.archive",
            "optiks-db period drop 0"],
        ["kek"] = ["optiks-db kek new --out kek-2", "optiks-db kek add kek-2", "optiks-db kek status", "optiks-db kek rotate",
            "optiks-db kek list", "optiks-db kek remove KEY"],
        ["key"] = ["optiks-db key backup keys.backup --code-out recovery-code", "optiks-db key check keys.backup --code recovery-code",
            "optiks-db key restore keys.backup --code recovery-code"],
        ["api-key"] = ["optiks-db api-key add delivery-service --scope update,history", "optiks-db api-key list",
            "optiks-db api-key revoke delivery-service"],
        ["plan"] = ["optiks-db plan --keys 100000000 --updates-per-second 500 --lookups-per-second 20000",
            "optiks-db plan --keys 1e10 --updates-per-second 50000 --lookups-per-second 2e6 --periods 3 --json"],
        ["config"] = ["optiks-db config check --program update-task --file appsettings.json", "optiks-db config reference"],
        ["health"] = ["optiks-db health http://127.0.0.1:8301", "optiks-db health https://127.0.0.1:8311 --live"],
        ["receipts"] = ["optiks-db receipts key log.example.org/receipts/1 --out receipt.key",
            "optiks-db receipts vouch VKEY --out receipt-keys.txt"],
        ["receipts key"] = ["optiks-db receipts key log.example.org/receipts/1 --out receipt.key"],
        ["receipts vouch"] = ["optiks-db receipts vouch VKEY --out receipt-keys.txt",
            "optiks-db receipts vouch VKEY1 VKEY2 --days 30 --out receipt-keys.txt"],
        ["api-key add"] =
        [
            "optiks-db api-key add delivery-service --scope update,history",
            "optiks-db api-key add replicas --scope snapshot --out $OPTIKS_DATA/snapshot-key",
        ],
    };

    /// <summary>Runs one command line and returns its exit code.</summary>
    /// <param name="args">The arguments of the command line.</param>
    /// <param name="output">The output of the program.</param>
    /// <param name="error">The error output.</param>
    /// <param name="environment">The function that returns the value of an environment variable.</param>
    /// <param name="variables">The function that returns all environment variables; null if the command line must not see any.</param>
    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error, Func<string, string?> environment,
        Func<IEnumerable<KeyValuePair<string, string>>>? variables = null)
    {
        IStorageProvider[] engines = [.. StorageEngines.All()];
        var provider = new Option<string>("--provider")
        {
            Description = $"Database engine: {string.Join(", ", engines.Select(engine => engine.Name))}.",
            DefaultValueFactory = _ => environment(ProviderVariable) is { Length: > 0 } name ? name : "sqlite",
            Recursive = true,
        };
        // The environment variable's value must not be the option's default value: `--help` would print that default value, and this value
        // may contain a password.
        var connection = new Option<string?>("--connection")
        {
            Description =
                "Connection string, for SQLite 'Data Source=/path/optiks.db', for PostgreSQL 'Host=db;Database=optiks;Username=optiks', for SQL Server 'Server=db;Database=optiks;User ID=optiks;Password=...'. Without it: $Optiks__Storage__ConnectionString. Empty, for SQLite: optiks.db in $OPTIKS_DATA (${XDG_DATA_HOME:-~/.local/share}/optiks).",
            Recursive = true,
        };
        var json = new Option<bool>("--json") { Description = "Print JSON instead of text." };

        DataFolder Folder() => environment(DataFolder.Variable) is { Length: > 0 } path ? new DataFolder(path) : DataFolder.Default();
        KeyPlace Place(string trusted)
        {
            DirectoryLibraryCheck.Ensure();
            return new(Folder(), trusted, environment(KekVariable), environment(LogKeyVariable));
        }
        // A library of another build would read the stored leaves wrongly, and an unknown kernel would abort in the middle of the work.
        Invocation InvocationOf(ParseResult parsed)
        {
            DirectoryLibraryCheck.Ensure();
            IStorageProvider engine = StorageProviders.Select(parsed.GetValue(provider)!, engines);
            if (engine.Notice is { } notice)
            {
                error.WriteLine($"warning: {notice}");
            }
            return new Invocation(engine, parsed.GetValue(connection) ?? environment(ConnectionVariable) ?? "", parsed.GetValue(json),
                output, error);
        }

        var migrate = new Command(
            "migrate",
            "Create the database, or bring its schema to the version that this release needs. Can be repeated; waits for another migration in progress.") { json };
        migrate.SetAction((parsed, cancel) => MigrateCommand.RunAsync(InvocationOf(parsed), cancel));
        var status = new Command(
            "status", "Show what is in the database: schema version, last epochs, lease, pending updates. Changes nothing.") { json };
        status.SetAction((parsed, cancel) => StatusCommand.RunAsync(InvocationOf(parsed), cancel));

        var board = new Option<string?>("--board") { Description = "Folder of the board ($OPTIKS_DATA/board): compare its files too." };
        var trust = new Option<string>("--trust")
        {
            Description = "The log's trust anchor. Without it: trust.json in $OPTIKS_DATA.",
            DefaultValueFactory = _ => Folder().TrustAnchor,
        };
        var fsck = new Command("fsck",
            "Recompute every root and record from stored facts and report what contradicts them. Changes nothing; needs no secret; services may run.") { board, trust, json };
        fsck.SetAction((parsed, cancel) =>
            FsckCommand.RunAsync(InvocationOf(parsed), parsed.GetValue(trust)!, parsed.GetValue(board), cancel));

        var bundles = new Argument<string>("dir") { Description = "Folder of bundles: board/state/bundles." };
        var importBundles = new Command(
            "import-bundles",
            "Add the epochs that an older copy of the database lacks, from the board's bundles. The update-task must be stopped. Can be repeated.") { bundles };
        importBundles.SetAction((parsed, cancel) => ImportBundlesCommand.RunAsync(
            InvocationOf(parsed), parsed.GetValue(bundles)!, Folder(), environment(LogKeyVariable), environment(KekVariable), cancel));

        var checkpoints =
            new Argument<string[]>("checkpoint")
            {
                Description =
                "Files with the newest checkpoints that query-services (GET /log/checkpoint), witnesses, auditors and clients have.",
                Arity = ArgumentArity.OneOrMore
            };
        var renewMark = new Command(
            "renew-mark",
            "Recreate the high-water mark of the board after the folder board/state was lost, if the database has everything that these checkpoints show. The update-task must be stopped.") { checkpoints };
        renewMark.SetAction((parsed, cancel) =>
            RenewMarkCommand.RunAsync(InvocationOf(parsed), parsed.GetValue(checkpoints)!, Folder(), cancel));

        var exported =
            new Argument<string>("file") { Description = "File to write, which must not exist. It holds keys and values: mode 0600." };
        var export = new Command(
            "export",
            "Write the whole database, as of one point in time, to a file that any engine can import. Secrets stay wrapped. Services may run.") { exported };
        export.SetAction((parsed, cancel) => ExportCommand.RunAsync(InvocationOf(parsed), parsed.GetValue(exported)!, cancel));
        var imported = new Argument<string>("file") { Description = "File that 'optiks-db export' wrote." };
        var import = new Command(
            "import",
            "Fill an empty, migrated database from an export, all or nothing, and check it as fsck does. Roots stay the same.") { imported,
                trust, json };
        import.SetAction((parsed, cancel) =>
            ImportCommand.RunAsync(InvocationOf(parsed), parsed.GetValue(imported)!, parsed.GetValue(trust)!, cancel));

        var root = new RootCommand(
            """
            The operator's tool for the Optiks database, the services' API keys and their settings. Services never create or change the schema.

            Exit codes: 0 done, 1 fsck or the check after import found problems or a service is not ready, 2 wrong usage or not allowed now, 3 the database or the service cannot be reached, 78 this release cannot use the database,
            the trust anchor or a folder is missing, or config check found a problem that keeps a program from starting.
            Environment: OPTIKS_DATA, Optiks__Storage__Provider, Optiks__Storage__ConnectionString; for kek, import-bundles and receipts vouch also OPTIKS_KEK or Optiks__Kek__File, and Optiks__LogKey__Uri, as the update-task has them.
            """)
        {
            provider, connection, migrate, status, fsck, export, import, importBundles, renewMark,
            PeriodCommand.Create(InvocationOf, trust, json), KekCommand.Create(InvocationOf, Place, trust, json),
            KeyCommand.Create(InvocationOf, Place, trust, json), ApiKeyCommand.Create(Folder, json),
            ReceiptsCommand.Create(Folder, environment(LogKeyVariable), environment(KekVariable), trust, json),
            PlanCommand.Create(output, json), ConfigCommand.Create(engines, variables ?? (() => []), json, output),
            HealthCommand.Create(json, output, error),
        };
        return await new CommandProgram("optiks-db", root, s_examples, json).RunAsync(args, output, error, Classify);
    }

    private static CommandFailure? Classify(Exception exception) => exception switch
    {
        StorageUnavailableException or SignerUnavailableException =>
            new CommandFailure(ExitCodes.Unreachable, "unreachable", exception.Message),
        ApiKeyEditException or KekRefusedException or PeriodRefusedException or ReceiptsRefusedException =>
            new CommandFailure(ExitCodes.Usage, "usage", exception.Message),
        StorageException or StartupException or TrustAnchorException or SecretsException or NativeLibraryException or IOException
            or UnauthorizedAccessException =>
            new CommandFailure(ExitCodes.Configuration, "configuration", exception.Message),
        OptiksNativeException { Status: NativeStatus.Io or NativeStatus.Memory } =>
            new CommandFailure(ExitCodes.Configuration, "configuration", exception.Message),
        _ => null,
    };
}
