using System.Diagnostics;
using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Db.Tests.Support;

/// <summary>
/// Holds a data folder with a database and a board, which the real update-task fills. Disposing of this object deletes the folder.
/// </summary>
internal sealed class LogFolder : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    public LogFolder()
    {
        Data = new DataFolder(Directory.CreateTempSubdirectory("optiks-db-").FullName);
    }

    public DataFolder Data { get; }

    public string ConnectionString => $"Data Source={Data.Database}";

    public string Bundles => Path.Combine(Data.Board, "state", "bundles");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Runs a command of optiks-db on this folder.</summary>
    public async Task<(int Code, string Output, string Error)> RunAsync(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int code = await CommandLine.RunAsync(args, output, error, name => name switch
        {
            "Optiks__Storage__ConnectionString" => ConnectionString,
            DataFolder.Variable => Data.Root,
            _ => null,
        });
        return (code, output.ToString(), error.ToString());
    }

    public static AcceptItem Item(string key, string value, ExpectedVersion? expected = null) =>
        new(StructureId.Keys, Encoding.UTF8.GetBytes(key), Encoding.UTF8.GetBytes(value), expected);

    /// <summary>Accepts one request with the given items, as the update-service does.</summary>
    public async Task<AcceptRequest> AcceptAsync(params AcceptItem[] items)
    {
        await using IAcceptStore store = await new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, Cancel);
        var request = new AcceptRequest(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), RandomNumberGenerator.GetBytes(32), items);
        AcceptResult result = Assert.Single(await store.AcceptAsync([new AcceptUnit([request])], Cancel));
        Assert.Equal(AcceptStatus.Accepted, result.Status);
        return request;
    }

    public async Task<RequestStatus?> StatusAsync(AcceptRequest request)
    {
        await using IAcceptStore store = await new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, Cancel);
        return await store.ReadStatusAsync(request.RequestId, Cancel);
    }

    public async Task<HeadRow> HeadAsync()
    {
        await using IAcceptStore store = await new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, Cancel);
        return await store.ReadHeadAsync(Cancel);
    }

    public async Task<long> PendingAsync()
    {
        await using PipelineStore store = await new SqliteStorageProvider().OpenPipelineAsync(ConnectionString, Cancel);
        return await store.CountPendingAsync(Cancel);
    }

    /// <summary>Changes the database with SQL, bypassing all programs.</summary>
    public void Execute(string sql)
    {
        using var connection = Connection.Open(SqliteSettings.Parse(ConnectionString), readOnly: false);
        connection.ExecuteScript("PRAGMA ignore_check_constraints = ON;" + sql);
    }

    /// <summary>Additional settings for the update-task, such as <c>--Optiks:Padding:Keys=3</c>.</summary>
    public IReadOnlyList<string> TaskSettings { get; set; } = [];

    /// <summary>Runs the update-task until no request is pending and everything is published, and then stops it.</summary>
    public async Task PublishAsync()
    {
        using Process task = StartTask(failPoint: "");
        try
        {
            long start = TimeProvider.System.GetTimestamp();
            while (await HeadAsync() is var head && (head.Epoch is null || head.PublishedEpoch != head.Epoch || await PendingAsync() > 0))
            {
                Assert.False(task.HasExited, "The task ended.");
                Assert.True(TimeProvider.System.GetElapsedTime(start) < s_patience, "The task publishes nothing.");
                await Task.Delay(20, Cancel);
            }
            using var kill = Process.Start("/bin/kill", ["-TERM", $"{task.Id}"]);
            await kill.WaitForExitAsync(Cancel);
            await task.WaitForExitAsync(Cancel).WaitAsync(s_patience, Cancel);
            Assert.Equal(0, task.ExitCode);
        }
        finally
        {
            if (!task.HasExited)
            {
                task.Kill();
            }
        }
    }

    /// <summary>Runs the update-task until it ends without being stopped.</summary>
    public async Task<(int Code, string Error)> RunTaskAsync(string failPoint = "")
    {
        using Process task = StartTask(failPoint);
        try
        {
            string error = await task.StandardError.ReadToEndAsync(Cancel).WaitAsync(s_patience, Cancel);
            await task.WaitForExitAsync(Cancel).WaitAsync(s_patience, Cancel);
            return (task.ExitCode, error);
        }
        finally
        {
            if (!task.HasExited)
            {
                task.Kill();
            }
        }
    }

    /// <summary>Copies all files into another folder. No program may write to the files meanwhile.</summary>
    public LogFolder Copy()
    {
        var other = new LogFolder();
        foreach (string path in Directory.EnumerateFiles(Data.Root, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(other.Data.Root, Path.GetRelativePath(Data.Root, path));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(path, target, overwrite: true);
        }
        return other;
    }

    /// <summary>Copies the files of a database to the files of another database path.</summary>
    public static void CopyDatabase(string from, string to)
    {
        foreach (string suffix in (string[])["", "-wal", "-shm"])
        {
            File.Delete(to + suffix);
            if (File.Exists(from + suffix))
            {
                File.Copy(from + suffix, to + suffix);
            }
        }
    }

    public void Dispose() => Directory.Delete(Data.Root, recursive: true);

    private Process StartTask(string failPoint)
    {
        var start = new ProcessStartInfo(
            Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet")
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        };
        foreach (string argument in (string[])
        [
            Path.Combine(AppContext.BaseDirectory, "Optiks.UpdateTask.dll"), "--urls", "http://127.0.0.1:0",
            "--Optiks:UpdateTask:EpochInterval=00:00:00.050",
            "--Optiks:UpdateTask:LeaseDuration=00:00:01", "--Optiks:UpdateTask:LeasePollInterval=00:00:00.050", .. TaskSettings,
        ])
        {
            start.ArgumentList.Add(argument);
        }
        start.Environment[DataFolder.Variable] = Data.Root;
        start.Environment[FailPoints.Variable] = failPoint;
        Process task = Process.Start(start)!;
        // This handler reads the output and drops it, so that the update-task never blocks on a full pipe.
        task.OutputDataReceived += (_, _) => { };
        task.BeginOutputReadLine();
        return task;
    }
}
