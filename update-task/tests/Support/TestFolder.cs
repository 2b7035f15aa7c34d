using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>TestFolder is a data folder with a migrated, empty SQLite database; removed with all that it holds.</summary>
internal sealed class TestFolder : IDisposable
{
    private TestFolder(string path) => Data = new DataFolder(path);

    public DataFolder Data { get; private set; }

    public string ConnectionString => $"Data Source={Data.Database}";

    public static async Task<TestFolder> CreateAsync()
    {
        var folder = new TestFolder(Directory.CreateTempSubdirectory("optiks-task-").FullName);
        await new SqliteStorageProvider().CreateMigrator(folder.ConnectionString).MigrateAsync(TestContext.Current.CancellationToken);
        return folder;
    }

    public Task<IAcceptStore> OpenAcceptAsync() => new SqliteStorageProvider().OpenAcceptAsync(ConnectionString, TestContext.Current.CancellationToken);

    public Task<IPipelineStore> OpenPipelineAsync() => new SqliteStorageProvider().OpenPipelineAsync(ConnectionString, TestContext.Current.CancellationToken);

    /// <summary>CopyDatabase puts the database's files, of which no program may be writing, at the places of another name.</summary>
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

    /// <summary>Link makes <see cref="Data"/> the same folder by a symbolic link.</summary>
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
