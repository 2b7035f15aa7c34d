using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Makes a data folder with a migrated, empty SQLite database; the folder is removed with all its contents at the end.</summary>
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

    /// <summary>The setting that gives a process this database, which may be in another folder.</summary>
    public string StorageSetting => $"--Optiks:Storage:ConnectionString={ConnectionString}";

    public static async Task<TestFolder> CreateAsync()
    {
        var folder = new TestFolder(Directory.CreateTempSubdirectory("optiks-task-").FullName);
        await new SqliteStorageProvider().CreateMigrator(folder.ConnectionString).MigrateAsync(TestContext.Current.CancellationToken);
        return folder;
    }

    /// <summary>
    /// Makes a folder of another machine on the same database, to which the operator brought the log's secrets and nothing else.
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

    public Task<IAcceptStore> OpenAcceptAsync() => new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, TestContext.Current.CancellationToken);

    public Task<IPipelineStore> OpenPipelineAsync() => new SqliteStorageProvider().OpenPipelineAsync(ConnectionString, TestContext.Current.CancellationToken);

    /// <summary>Copies the database's files to another name; no program may be writing to them.</summary>
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

    /// <summary>Copies the files of a folder to another folder.</summary>
    public static void Copy(string from, string to)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            string path = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.Copy(file, path);
        }
    }

    /// <summary>Makes <see cref="Data"/> name the same folder through a symbolic link.</summary>
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
