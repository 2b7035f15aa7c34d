using System.Security.Cryptography;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>
/// The folder with a witness's key, the list of logs, and one file per log. Only one process at a time may open the folder.
/// </summary>
public sealed class WitnessFolder
{
    /// <summary>Computes the paths of a witness's folder. The folder need not exist yet.</summary>
    public WitnessFolder(string path) => Root = Path.GetFullPath(path);

    /// <summary>The root folder.</summary>
    public string Root { get; }

    /// <summary>The key file.</summary>
    public string Key => Path.Combine(Root, "key");

    /// <summary>The logs file: a tlog-policy whose <c>log</c> lines are the logs that the witness cosigns.</summary>
    public string Logs => Path.Combine(Root, "logs");

    /// <summary>The state folder, which has one file per log and the lock file.</summary>
    public string State => Path.Combine(Root, "state");

    /// <summary>The evidence folder, with pairs of checkpoints that prove that a log signed two trees of one size.</summary>
    public string Evidence => Path.Combine(Root, "evidence");

    /// <summary>Returns the name of a log in files and URLs: the hash of its origin in lower-case hexadecimal digits.</summary>
    public static string GetName(string origin) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)));

    internal string GetStateFile(string origin) => Path.Combine(State, GetName(origin));

    // Locks the folder against other processes. Callers keep the lock until the process ends.
    internal BoardLock Lock()
    {
        DataFolder.CreateFolder(State);
        return BoardLock.TryAcquire(State)
            ?? throw new StartupException($"Another witness uses {State}: two would cosign what the other does not know of.");
    }
}
