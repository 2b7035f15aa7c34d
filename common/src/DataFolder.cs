using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks;

/// <summary>
/// Names the files and folders in <c>OPTIKS_DATA</c>. Its methods create folders with mode 0700. Programs write the files with
/// <see cref="AtomicFile"/>. The constructor does not access the disk.
/// </summary>
public sealed class DataFolder
{
    /// <summary>The variable that names the folder.</summary>
    public const string Variable = "OPTIKS_DATA";

    private const UnixFileMode FolderMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>Takes a path and makes it absolute. Throws <see cref="StartupException"/> if the path is blank.</summary>
    public DataFolder(string path)
    {
        if (string.IsNullOrWhiteSpace(path))
        {
            throw new StartupException($"The name of the data folder is blank: set {Variable} to a folder, or leave it empty for the default.");
        }
        Root = Path.GetFullPath(path);
    }

    /// <summary>The root folder.</summary>
    public string Root { get; }

    /// <summary>The database of the SQLite driver.</summary>
    public string Database => Combine("optiks.db");

    /// <summary>
    /// The bulletin board's folder. The query-service serves its <c>log/</c>; only the update-task uses its <c>state/</c>.
    /// </summary>
    public string Board => Combine("board");

    /// <summary>The public trust anchor of this installation's log.</summary>
    public string TrustAnchor => Combine("trust.json");

    /// <summary>The plain API key for development, which <c>optiks</c> uses if no other is given.</summary>
    public string ApiKey => Combine("api-key");

    /// <summary>The API keys that the services accept, hashed.</summary>
    public string ApiKeys => Combine("api-keys.json");

    /// <summary>The key-encryption key's file.</summary>
    public string KeyEncryptionKey => Combine("kek");

    /// <summary>The log's signing key, wrapped.</summary>
    public string LogKey => Combine("log.key");

    /// <summary>The state of the command line and the auditor.</summary>
    public string Client => Combine("client");

    /// <summary>The replicas' folders, each named by its port.</summary>
    public string Replicas => Combine("replicas");

    /// <summary>The trees that the update-task stores.</summary>
    public string Task => Combine("task");

    /// <summary>Returns <c>$OPTIKS_DATA</c>, or <c>${XDG_DATA_HOME:-~/.local/share}/optiks</c> if <c>OPTIKS_DATA</c> is not set.</summary>
    public static DataFolder Default() => Resolve(Environment.GetEnvironmentVariable);

    /// <summary>
    /// Creates a folder and its parents with mode 0700; does not change existing folders. The names of new folders are on disk when the
    /// call returns. Throws <see cref="IOException"/>, which names the folder.
    /// </summary>
    public static void CreateFolder(string path)
    {
        string full = Path.GetFullPath(path);
        try
        {
            Make(full);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IOException($"The folder {full} cannot be created: {e.Message}", e);
        }
    }

    /// <summary>Creates the root folder. Throws <see cref="StartupException"/> if that fails.</summary>
    public DataFolder EnsureCreated()
    {
        try
        {
            CreateFolder(Root);
            return this;
        }
        catch (IOException e)
        {
            throw new StartupException($"{e.Message} Set {Variable} to a folder that this user may write.", e);
        }
    }

    /// <summary>
    /// Creates the root folder and checks that this program may write there, so that the start fails and not the first write. Throws
    /// <see cref="StartupException"/> if the program may not write there.
    /// </summary>
    public DataFolder EnsureWritable()
    {
        EnsureCreated();
        string probe = Combine($".writable-{RandomNumberGenerator.GetHexString(16, lowercase: true)}");
        try
        {
            File.OpenHandle(probe, FileMode.CreateNew, FileAccess.Write, FileShare.None, FileOptions.DeleteOnClose).Dispose();
        }
        catch (UnauthorizedAccessException e)
        {
            throw new StartupException($"The folder {Root} cannot be written by this user: set {Variable} to one that can.", e);
        }
        catch (IOException)
        {
            // A full disk may get room again, and a disk that was remounted read-only after an error may be repaired. Neither is a wrong
            // setting, so the services start and report that they are not ready.
        }
        return this;
    }

    /// <inheritdoc/>
    public override string ToString() => Root;

    /// <summary>Returns the default folder for another environment.</summary>
    internal static DataFolder Resolve(Func<string, string?> environment)
    {
        if (environment(Variable) is { Length: > 0 } path)
        {
            return new DataFolder(path);
        }
        // The XDG specification says that relative paths are ignored.
        string parent = environment("XDG_DATA_HOME") is { Length: > 0 } data && Path.IsPathRooted(data)
            ? data
            : Path.Combine(environment("HOME") is { Length: > 0 } home ? home : Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".local", "share");
        return new DataFolder(Path.Combine(parent, "optiks"));
    }

    private static void Make(string folder)
    {
        // Directory.CreateDirectory applies the mode to the last folder only.
        if (!Directory.Exists(folder))
        {
            string? parent = Path.GetDirectoryName(folder);
            if (parent is not null)
            {
                Make(parent);
            }
            Directory.CreateDirectory(folder, FolderMode);
            if (parent is not null)
            {
                DurableFiles.SyncFolder(parent);
            }
        }
    }

    private string Combine(string name) => Path.Combine(Root, name);
}
