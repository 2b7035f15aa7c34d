using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;
using Optiks.Storage.PostgreSql.Tests;

[assembly: AssemblyFixture(typeof(Cluster))]

namespace Optiks.Storage.PostgreSql.Tests;

/// <summary>
/// Runs a PostgreSQL server of the newest installed version for one test run, with its data and its socket in a private folder, and on a
/// free port. When the test run ends, the server is stopped and its folder is removed. PostgreSQL refuses to run as root, so a test run as
/// root starts the server as the user of the PostgreSQL package.
/// </summary>
public sealed class Cluster : IAsyncLifetime
{
    private static readonly string s_programs = FindPrograms();

    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"optiks-pg-{Environment.ProcessId}");
    private Lazy<Task<string>> _migrated;
    private int _databases;

    public Cluster() => _migrated = new Lazy<Task<string>>(MigrateAsync);

    /// <summary>The current cluster of this process.</summary>
    public static Cluster Current { get; private set; } = null!;

    public int Port { get; private set; }

    public async ValueTask InitializeAsync()
    {
        Current = this;
        Port = FreePort();
        await RunAsync("install", "-d", "-m", "700", _folder);
        if (Environment.IsPrivilegedProcess)
        {
            await RunAsync("chown", "postgres", _folder);
        }
        await AsServerAsync($"{s_programs}/initdb", "-D", $"{_folder}/data", "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-locale");
        await StartAsync();
    }

    /// <summary>
    /// Starts the server, and returns when it answers. The server accepts enough connections for all tests that run at the same time,
    /// although each of their stores has a pool of its own.
    /// </summary>
    public Task StartAsync(string options = "") => AsServerAsync(
        $"{s_programs}/pg_ctl", "-D", $"{_folder}/data", "-l", $"{_folder}/log", "-w", "-t", "30", "-o",
        $"-p {Port} -k {_folder} -c listen_addresses=127.0.0.1 -c max_connections=500 {options}", "start");

    /// <summary>Stops the server with an orderly shutdown.</summary>
    public Task StopAsync() => AsServerAsync($"{s_programs}/pg_ctl", "-D", $"{_folder}/data", "-w", "-m", "fast", "stop");

    /// <summary>Kills the postmaster and all of its children with SIGKILL, and waits until they are gone.</summary>
    public async Task KillAsync()
    {
        foreach (int one in await ProcessesAsync())
        {
            try
            {
                using Process process = Process.GetProcessById(one);
                process.Kill();
                await process.WaitForExitAsync();
            }
            catch (Exception e) when (e is ArgumentException or InvalidOperationException)
            {
                // The process has already ended: the postmaster's death also ends its children.
            }
        }
    }

    /// <summary>Suspends the postmaster and all of its children, so that connections stay open but get no answer.</summary>
    public async Task PauseAsync() => await SignalAsync("STOP");

    /// <summary>Resumes the suspended processes.</summary>
    public async Task ResumeAsync() => await SignalAsync("CONT");

    /// <summary>
    /// Stops the server and starts it as a standby without a primary, so that it accepts no writes. <see cref="StopAsync"/> and
    /// <see cref="StartAsync"/> make it a primary again.
    /// </summary>
    public async Task StartAsStandbyAsync()
    {
        await StopAsync();
        string signal = $"{_folder}/data/standby.signal";
        await File.WriteAllTextAsync(signal, "");
        await StartAsync();
        File.Delete(signal);
    }

    /// <summary>Sets the name of the synchronous standby for which the server waits before it answers a commit; an empty name means that it
    /// waits for no standby.</summary>
    public async Task SetStandbyAsync(string name)
    {
        string administrator = ConnectionString("postgres");
        _ = await ExecuteAsync(administrator, $"ALTER SYSTEM SET synchronous_standby_names = '{name}'");
        _ = await ExecuteAsync(administrator, "SELECT pg_reload_conf()");
        // The server applies the reloaded settings only a short time after the command.
        await Task.Delay(500);
    }

    /// <summary>
    /// Waits until a role's sessions wait for the synchronous standby, and then calls an SQL function on each of these sessions, such as
    /// <c>pg_cancel_backend</c>.
    /// </summary>
    public async Task WaitingAsync(string function, string role)
    {
        string sql =
            $"SELECT count({function}(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name LIKE 'optiks-{role}-%'";
        long deadline = Environment.TickCount64 + 20_000;
        while (await CountAsync(ConnectionString("postgres"), sql) == 0)
        {
            Assert.True(Environment.TickCount64 < deadline, "No commit waited: the test did not test.");
            await Task.Delay(50);
        }
    }

    /// <summary>Creates an empty database, and returns a connection string for its owner.</summary>
    public Task<string> CreateDatabaseAsync() => CreateDatabaseAsync("template1");

    /// <summary>Creates a migrated database as a copy of a database that was migrated once, which takes a quarter of a migration's
    /// time.</summary>
    public async Task<string> CreateMigratedDatabaseAsync() => await CreateDatabaseAsync(await _migrated.Value);

    /// <summary>
    /// Removes the migrated database that others are copied from, and with it the roles' rights. It is made again for the next test that
    /// needs a migrated database. No other test may run at the same time.
    /// </summary>
    public async Task DropMigratedAsync()
    {
        await DropDatabaseAsync(ConnectionString(await _migrated.Value));
        _migrated = new Lazy<Task<string>>(MigrateAsync);
    }

    public async Task DropDatabaseAsync(string connectionString)
    {
        string name = new NpgsqlConnectionStringBuilder(connectionString).Database!;
        await ExecuteAsync(ConnectionString("postgres"), $"DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    }

    public string ConnectionString(string database) => $"Host=127.0.0.1;Port={Port};Database={database};Username=owner;Timeout=5";

    /// <summary>Runs a query on a connection of its own, and returns the number that it selects.</summary>
    public static async Task<long> CountAsync(string connectionString, string sql)
    {
        await using var connection = new NpgsqlConnection(connectionString + ";Pooling=false;Search Path=optiks");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Runs SQL on a connection of its own, and returns the number of changed rows.</summary>
    public static async Task<int> ExecuteAsync(string connectionString, string sql, params object[] parameters)
    {
        await using var connection = new NpgsqlConnection(connectionString + ";Pooling=false;Search Path=optiks");
        await connection.OpenAsync();
        return await ExecuteAsync(connection, sql, parameters);
    }

    /// <summary>Runs SQL on an open connection, inside its transaction if it has one.</summary>
    public static async Task<int> ExecuteAsync(NpgsqlConnection connection, string sql, params object[] parameters)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        foreach (object parameter in parameters)
        {
            command.Parameters.Add(new NpgsqlParameter { Value = parameter });
        }
        return await command.ExecuteNonQueryAsync();
    }

    public async ValueTask DisposeAsync()
    {
        try
        {
            await AsServerAsync($"{s_programs}/pg_ctl", "-D", $"{_folder}/data", "-w", "-m", "immediate", "stop");
        }
        finally
        {
            Directory.Delete(_folder, recursive: true);
        }
    }

    private async Task<string> CreateDatabaseAsync(string template)
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"test_{Interlocked.Increment(ref _databases)}");
        await ExecuteAsync(ConnectionString("postgres"), $"CREATE DATABASE {name} TEMPLATE {template}");
        return ConnectionString(name);
    }

    // Creates a migrated database and returns its name. No session may stay in a pool, because the server copies only databases without
    // sessions.
    private async Task<string> MigrateAsync()
    {
        string connectionString = await CreateDatabaseAsync();
        _ = await new PostgreSqlStorageProvider().CreateMigrator(connectionString + ";Pooling=false").MigrateAsync(CancellationToken.None);
        return new NpgsqlConnectionStringBuilder(connectionString).Database!;
    }

    // Debian has one folder for each version of PostgreSQL; other systems have the programs of one version on the PATH.
    private static string FindPrograms()
    {
        const string Debian = "/usr/lib/postgresql";
        IEnumerable<string> versions = Directory.Exists(Debian) ? Directory.EnumerateDirectories(Debian) : [];
        return versions
            .OrderByDescending(folder =>
                int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out int version) ? version : 0)
            .Select(folder => Path.Combine(folder, "bin"))
            .Concat((Environment.GetEnvironmentVariable("PATH") ?? "").Split(':', StringSplitOptions.RemoveEmptyEntries))
            .FirstOrDefault(folder => File.Exists(Path.Combine(folder, "initdb")))
            ?? throw new InvalidOperationException($"There is no PostgreSQL server in {Debian} or in the path: run eng/install.sh.");
    }

    private async Task<int[]> ProcessesAsync()
    {
        string postmaster = (await File.ReadAllLinesAsync($"{_folder}/data/postmaster.pid"))[0];
        string children = await RunAsync("pgrep", "-P", postmaster);
        return [.. children.Split('\n', StringSplitOptions.RemoveEmptyEntries).Prepend(postmaster)
            .Select(line => int.Parse(line, CultureInfo.InvariantCulture))];
    }

    // The postmaster gets the signal first, because it could otherwise start new children in the meantime. A child that has already ended
    // cannot answer anyway.
    private async Task SignalAsync(string signal)
    {
        foreach (int one in await ProcessesAsync())
        {
            _ = await RunAsync("sh", "-c", string.Create(CultureInfo.InvariantCulture, $"kill -{signal} {one} 2>/dev/null || :"));
        }
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static Task<string> AsServerAsync(params string[] command) =>
        Environment.IsPrivilegedProcess ? RunAsync(["runuser", "-u", "postgres", "--", .. command]) : RunAsync(command);

    private static async Task<string> RunAsync(params string[] command)
    {
        // The server must not inherit the pipe of a command's output, because the reader of the pipe would then wait until the server ends.
        var start = new ProcessStartInfo("/bin/sh") { WorkingDirectory = "/tmp", UseShellExecute = false };
        string output = Path.Combine(
            Path.GetTempPath(), $"optiks-pg-{Environment.ProcessId}-{Guid.CreateVersion7(TimeProvider.System.GetUtcNow()):N}.out");
        foreach (string argument in (string[])["-c", "out=$1; shift; exec \"$@\" >\"$out\" 2>&1 </dev/null", "sh", output, .. command])
        {
            start.ArgumentList.Add(argument);
        }
        using Process process = Process.Start(start)!;
        await process.WaitForExitAsync();
        string text = await File.ReadAllTextAsync(output);
        File.Delete(output);
        return process.ExitCode == 0
            ? text
            : throw new InvalidOperationException($"{string.Join(' ', command)} ended with {process.ExitCode}: {text}");
    }
}
