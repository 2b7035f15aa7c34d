using System.Security.Cryptography;
using System.Text;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>WitnessFolder is where a witness keeps its key, the list of logs, and one file a log. One process at a time may have it open.</summary>
public sealed class WitnessFolder
{
    /// <summary>WitnessFolder at a path, which need not be there.</summary>
    public WitnessFolder(string path) => Root = Path.GetFullPath(path);

    /// <summary>Root folder.</summary>
    public string Root { get; }

    /// <summary>Key file.</summary>
    public string Key => Path.Combine(Root, "key");

    /// <summary>Logs file: a tlog-policy whose <c>log</c> lines are those that the witness cosigns.</summary>
    public string Logs => Path.Combine(Root, "logs");

    /// <summary>State folder: a file a log, and the lock.</summary>
    public string State => Path.Combine(Root, "state");

    /// <summary>Evidence folder: checkpoints that a log signed and should not have.</summary>
    public string Evidence => Path.Combine(Root, "evidence");

    /// <summary>NameOf is how a log is named in files and URLs: the hash of its origin in lower-case hexadecimal digits.</summary>
    public static string NameOf(string origin) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)));

    internal string StateOf(string origin) => Path.Combine(State, NameOf(origin));

    // Held until the process ends.
    internal BoardLock Lock()
    {
        DataFolder.CreateFolder(State);
        return BoardLock.TryAcquire(State) ?? throw new StartupException($"Another witness uses {State}: two would cosign what the other does not know of.");
    }
}
