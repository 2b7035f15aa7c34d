using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks;

/// <summary>
/// DataFolder names what lies in <c>OPTIKS_DATA</c>. Folders are made with mode 0700, files with <see cref="AtomicFile"/>. Making a
/// DataFolder touches nothing.
/// </summary>
public sealed class DataFolder
{
    /// <summary>Variable that names the folder.</summary>
    public const string Variable = "OPTIKS_DATA";

    private const UnixFileMode FolderMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>DataFolder at a path, made absolute. Throws <see cref="StartupException"/> for a blank one.</summary>
    public DataFolder(string path)
    {
        if (string.IsNullOrWhiteSpace(path))
        {
            throw new StartupException($"The name of the data folder is blank: set {Variable} to a folder, or to nothing for the default.");
        }
        Root = Path.GetFullPath(path);
    }

    /// <summary>Root folder.</summary>
    public string Root { get; }

    /// <summary>Database of the SQLite driver.</summary>
    public string Database => In("optiks.db");

    /// <summary>Board: the bulletin board's folder (<c>log/</c> is what query-service serves, <c>state/</c> what only the task touches).</summary>
    public string Board => In("board");

    /// <summary>TrustAnchor of this installation's log, public.</summary>
    public string TrustAnchor => In("trust.json");

    /// <summary>ApiKey for development: a plain key that <c>optiks</c> uses when no other is given.</summary>
    public string ApiKey => In("api-key");

    /// <summary>ApiKeys that the services accept, hashed.</summary>
    public string ApiKeys => In("api-keys.json");

    /// <summary>KeyEncryptionKey file.</summary>
    public string KeyEncryptionKey => In("kek");

    /// <summary>LogKey: the log's signing key, wrapped.</summary>
    public string LogKey => In("log.key");

    /// <summary>Client: what the command line and the auditor remember.</summary>
    public string Client => In("client");

    /// <summary>Replicas: one folder a query replica, named by its port.</summary>
    public string Replicas => In("replicas");

    /// <summary>Task: what the update-task keeps of the trees.</summary>
    public string Task => In("task");

    /// <summary>Default is <c>$OPTIKS_DATA</c>, else <c>${XDG_DATA_HOME:-~/.local/share}/optiks</c>.</summary>
    public static DataFolder Default() => Resolve(Environment.GetEnvironmentVariable);

    /// <summary>
    /// CreateFolder makes a folder and its parents with mode 0700; existing ones stay as they are. The names of those it made are on disk when it returns. Throws <see cref="IOException"/> that names the folder.
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
            throw new IOException($"The folder {full} cannot be made: {e.Message}", e);
        }
    }

    /// <summary>EnsureCreated makes the root. Throws <see cref="StartupException"/>.</summary>
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

    /// <summary>EnsureWritable makes the root, and finds out now, not at the first file, whether this program may write there. Throws <see cref="StartupException"/>.</summary>
    public DataFolder EnsureWritable()
    {
        EnsureCreated();
        string probe = In($".writable-{RandomNumberGenerator.GetHexString(16, lowercase: true)}");
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
            // A disk that is full may have room again, and one that was mounted read-only after an error may be mended: those are no settings, and the services say then that they are not ready.
        }
        return this;
    }

    /// <inheritdoc/>
    public override string ToString() => Root;

    /// <summary>Resolve with another environment.</summary>
    internal static DataFolder Resolve(Func<string, string?> environment)
    {
        if (environment(Variable) is { Length: > 0 } path)
        {
            return new DataFolder(path);
        }
        // The XDG specification has relative paths ignored.
        string parent = environment("XDG_DATA_HOME") is { Length: > 0 } data && Path.IsPathRooted(data)
            ? data
            : Path.Combine(environment("HOME") is { Length: > 0 } home ? home : Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".local", "share");
        return new DataFolder(Path.Combine(parent, "optiks"));
    }

    private static void Make(string folder)
    {
        // Directory.CreateDirectory gives the mode to the last folder only.
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

    private string In(string name) => Path.Combine(Root, name);
}
