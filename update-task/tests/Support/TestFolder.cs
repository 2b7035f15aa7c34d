using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Makes a temporary data folder with an SQLite database that has the current schema and no data. Disposing the object deletes the folder
/// with all its contents.
/// </summary>
internal sealed class TestFolder : IDisposable
{
    private readonly string? _database;

    private TestFolder(string path, string? database = null)
    {
        Data = new DataFolder(path);
        _database = database;
    }

    public DataFolder Data { get; private set; }

    public string ConnectionString => $"Data Source={_database ?? Data.Database}";

    /// <summary>The command-line setting that makes a process use this database, which may be in another folder.</summary>
    public string StorageSetting => $"--Optiks:Storage:ConnectionString={ConnectionString}";

    public static async Task<TestFolder> CreateAsync()
    {
        var folder = new TestFolder(Directory.CreateTempSubdirectory("optiks-task-").FullName);
        await new SqliteStorageProvider().CreateMigrator(folder.ConnectionString).MigrateAsync(TestContext.Current.CancellationToken);
        return folder;
    }

    /// <summary>
    /// Makes a data folder for another machine that uses the same database. It contains only the log's secrets and trust anchor, as if an
    /// operator had copied them there.
    /// </summary>
    public TestFolder OtherHost(string? database = null)
    {
        var other = new TestFolder(Directory.CreateTempSubdirectory("optiks-task-").FullName, database ?? _database ?? Data.Database);
        foreach (string secret in (string[])[Data.KeyEncryptionKey, Data.LogKey, Data.TrustAnchor])
        {
            File.Copy(secret, Path.Combine(other.Data.Root, Path.GetFileName(secret)));
        }
        return other;
    }

    public Task<IAcceptStore> OpenAcceptAsync() =>
        new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, TestContext.Current.CancellationToken);

    public Task<PipelineStore> OpenPipelineAsync() =>
        new SqliteStorageProvider().OpenPipelineAsync(ConnectionString, TestContext.Current.CancellationToken);

    /// <summary>Copies the files of an SQLite database to another path. No program may write to the database meanwhile.</summary>
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

    /// <summary>Copies all files of a folder, including its subfolders, to another folder.</summary>
    public static void Copy(string from, string to)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            string path = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.Copy(file, path);
        }
    }

    /// <summary>Makes the property <see cref="Data"/> refer to the same folder through a symbolic link.</summary>
    public void Link()
    {
        string link = $"{Data.Root}-link";
        Directory.CreateSymbolicLink(link, Data.Root);
        Data = new DataFolder(link);
    }

    public void Dispose()
    {
        string root = Data.Root;
        if (new DirectoryInfo(root).ResolveLinkTarget(returnFinalTarget: true) is { } target)
        {
            Directory.Delete(root);
            root = target.FullName;
        }
        Directory.Delete(root, recursive: true);
    }
}
