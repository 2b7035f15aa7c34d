using Microsoft.Extensions.Logging;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Witness;

/// <summary>The logs whose checkpoints one key cosigns, with the lock on their stored state. Thread-safe.</summary>
internal sealed class WitnessedLogs : IDisposable
{
    private readonly Dictionary<string, WitnessLog> _byOrigin;
    private readonly Dictionary<string, WitnessLog> _byName;
    private readonly INoteSigner _signer;
    private readonly BoardLock _lock;

    private WitnessedLogs(INoteSigner signer, BoardLock folderLock, IReadOnlyList<WitnessLog> logs)
    {
        _signer = signer;
        _lock = folderLock;
        All = logs;
        _byOrigin = logs.ToDictionary(log => log.Key.Name, StringComparer.Ordinal);
        _byName = logs.ToDictionary(log => WitnessFolder.GetName(log.Key.Name), StringComparer.Ordinal);
    }

    /// <summary>The witness's key.</summary>
    public VerifierKey Key => _signer.Key;

    /// <summary>All logs, in the order of the logs file.</summary>
    public IReadOnlyList<WitnessLog> All { get; }

    /// <summary>Returns the log of an origin; null if the witness does not know the origin.</summary>
    public WitnessLog? Find(string origin) => _byOrigin.GetValueOrDefault(origin);

    /// <summary>Returns the log whose origin has this hash (<see cref="WitnessFolder.GetName"/>); null if there is no such log.</summary>
    public WitnessLog? FindByName(string name) => _byName.GetValueOrDefault(name);

    /// <summary>
    /// Reads the key, the logs and the state of a folder. Throws <see cref="StartupException"/> if the contents are invalid, or if another
    /// process uses the folder.
    /// </summary>
    public static async Task<WitnessedLogs> OpenAsync(
        WitnessFolder folder, TimeProvider time, ILogger logger, CancellationToken cancellationToken)
    {
        IReadOnlyList<PolicyLog> configured = ReadLogs(folder.Logs);
        INoteSigner signer;
        try
        {
            signer = CosignerKey.Open(folder.Key);
        }
        catch (SecretsException e)
        {
            throw new StartupException(e.Message, e);
        }
        BoardLock? folderLock = null;
        var logs = new List<WitnessLog>();
        try
        {
            folderLock = folder.Lock();
            foreach (PolicyLog log in configured)
            {
                if (log.Key.PublicKey.SequenceEqual(signer.Key.PublicKey))
                {
                    throw new StartupException($"{folder.Key} is the key of the log {log.Key.Name}: a witness has a key of its own.");
                }
                logs.Add(await WitnessLog.OpenAsync(log.Key, folder, signer, time, logger, cancellationToken));
            }
            return new WitnessedLogs(signer, folderLock, logs);
        }
        catch
        {
            logs.ForEach(log => log.Dispose());
            folderLock?.Dispose();
            signer.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        foreach (WitnessLog log in All)
        {
            log.Dispose();
        }
        _lock.Dispose();
        _signer.Dispose();
    }

    private static IReadOnlyList<PolicyLog> ReadLogs(string path)
    {
        byte[] text;
        try
        {
            text = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The logs to cosign are not known: {e.Message}", e);
        }
        if (!TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out int line))
        {
            throw new StartupException(
                $"{path}, line {line}: {error}. The file has a line 'log VKEY' for each log, and a line 'quorum none'.");
        }
        if (policy.Witnesses.Count > 0 || !policy.RequiresNone)
        {
            throw new StartupException(
                $"{path} names witnesses: it is a policy of clients. A witness needs a line 'log VKEY' for each log, and 'quorum none'.");
        }
        if (policy.Logs.GroupBy(log => log.Key.Name, StringComparer.Ordinal).FirstOrDefault(same => same.Count() > 1) is { } twice)
        {
            throw new StartupException($"{path} has two keys for {twice.Key}: a log has one.");
        }
        return policy.Logs;
    }
}
