using System.Security.Cryptography;
using Optiks.Tlog;

namespace Optiks;

/// <summary>
/// Names the files and folders in <c>OPTIKS_DATA</c>. Its methods create folders with mode 0700. Programs write the files with
/// <see cref="AtomicFile"/>. The constructor does not access the disk.
/// </summary>
public sealed class DataFolder
{
    /// <summary>The environment variable that names the folder.</summary>
    public const string Variable = "OPTIKS_DATA";

    private const UnixFileMode FolderMode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>Creates an instance for the folder at this path, and makes the path absolute. Throws <see cref="StartupException"/> if the
    /// path is blank.</summary>
    public DataFolder(string path)
    {
        if (string.IsNullOrWhiteSpace(path))
        {
            throw new StartupException(
                $"The name of the data folder is blank: set {Variable} to a folder, or leave it empty for the default.");
        }
        Root = Path.GetFullPath(path);
    }

    /// <summary>The root folder.</summary>
    public string Root { get; }

    /// <summary>The file of the SQLite database.</summary>
    public string Database => Combine("optiks.db");

    /// <summary>
    /// The folder of the board. The query-service serves the board's subfolder <c>log/</c>; only the update-task uses the subfolder
    /// <c>state/</c>.
    /// </summary>
    public string Board => Combine("board");

    /// <summary>The file with the public trust anchor of this installation's log.</summary>
    public string TrustAnchor => Combine("trust.json");

    /// <summary>The file with an API key for development, in plain text. <c>optiks</c> uses this key if no other key is given.</summary>
    public string ApiKey => Combine("api-key");

    /// <summary>The file with the hashes of the API keys that the services accept.</summary>
    public string ApiKeys => Combine("api-keys.json");

    /// <summary>The file with the key-encryption keys.</summary>
    public string KeyEncryptionKey => Combine("kek");

    /// <summary>The file with the log's signing key, which a key-encryption key wraps.</summary>
    public string LogKey => Combine("log.key");

    /// <summary>The folder in which the command line and the auditor keep their state.</summary>
    public string Client => Combine("client");

    /// <summary>The folder that contains a folder for each replica, named by the replica's port.</summary>
    public string Replicas => Combine("replicas");

    /// <summary>The folder in which the update-task stores its trees.</summary>
    public string Task => Combine("task");

    /// <summary>Returns <c>$OPTIKS_DATA</c>, or <c>${XDG_DATA_HOME:-~/.local/share}/optiks</c> if <c>OPTIKS_DATA</c> is not set.</summary>
    public static DataFolder Default() => Resolve(Environment.GetEnvironmentVariable);

    /// <summary>
    /// Creates a folder and its missing parents with mode 0700; does not change existing folders. The names of new folders are on disk when
    /// the call returns. Throws <see cref="IOException"/>, which names the folder, if that fails.
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
    /// Creates the root folder and checks that this program may write there. Throws <see cref="StartupException"/> if it may not, so that
    /// the program fails at its start and not at its first write.
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
            // The check ignores a full disk, and a disk that was remounted read-only after an error: both can be repaired without a change
            // of the settings. The services then start and report that they are not ready.
        }
        return this;
    }

    /// <inheritdoc/>
    public override string ToString() => Root;

    /// <summary>Returns the default folder, with the variables of the given environment.</summary>
    internal static DataFolder Resolve(Func<string, string?> environment)
    {
        if (environment(Variable) is { Length: > 0 } path)
        {
            return new DataFolder(path);
        }
        // The XDG specification says that programs must ignore relative paths.
        string parent = environment("XDG_DATA_HOME") is { Length: > 0 } data && Path.IsPathRooted(data)
            ? data
            : Path.Combine(environment("HOME") is { Length: > 0 } home
                ? home
                : Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".local", "share");
        return new DataFolder(Path.Combine(parent, "optiks"));
    }

    private static void Make(string folder)
    {
        // `Directory.CreateDirectory` would give this mode only to the last folder of the path, so each folder is created with its own
        // call.
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
