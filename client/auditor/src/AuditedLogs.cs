using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>
/// The auditors of all logs for which one key signs statements. Each auditor holds the lock of its folder until it is disposed.
/// </summary>
internal sealed class AuditedLogs : IDisposable
{
    private readonly List<LogAuditor> _all;
    private readonly HttpClient _http;
    private readonly INoteSigner _key;

    private AuditedLogs(List<LogAuditor> all, HttpClient http, INoteSigner key)
    {
        (_all, _http, _key) = (all, http, key);
    }

    public IReadOnlyList<LogAuditor> All => _all;

    /// <summary>The current views of the logs, in the order in which the settings name the logs.</summary>
    public IEnumerable<LogView> Views => _all.Select(log => log.View);

    /// <summary>The vkey of the key that signs the statements.</summary>
    public string Auditor => _key.Key.ToString();

    /// <summary>
    /// Opens the auditors of all logs. The result then owns the key and the HttpClient. Throws <see cref="StartupException"/> if one of the
    /// auditors must not start.
    /// </summary>
    public static async Task<AuditedLogs> OpenAsync(
        AuditorSettings settings, INoteSigner key, HttpClient http, TimeProvider time, CancellationToken cancellationToken)
    {
        var opened = new AuditedLogs([], http, key);
        try
        {
            foreach (AuditedLog log in settings.Logs)
            {
                if (opened._all.Any(other => other.View.Log.Id == log.Id))
                {
                    throw new StartupException(
                        $"{log.TrustAnchor.Configuration.Origin} is named twice: an auditor signs one history of a log.");
                }
                if (log.TrustAnchor.LogKey.PublicKey.SequenceEqual(key.Key.PublicKey))
                {
                    throw new StartupException("The auditor's key is the log's own: an auditor has a key of its own.");
                }
                opened._all.Add(await LogAuditor.OpenAsync(log, settings, key, http, time, cancellationToken).ConfigureAwait(false));
            }
            return opened;
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _all.ForEach(log => log.Dispose());
        _http.Dispose();
        _key.Dispose();
    }
}
