using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>
/// Holds the policy (docs/spec/board.md section 7) in the file that a service's setting names. The policy lists the parties that the
/// service asks for cosignatures of its log. Immutable, so that any thread may use it.
/// </summary>
public sealed class PolicyFile
{
    private readonly string _path;
    private readonly string _kind;

    private PolicyFile(string path, string kind, TlogPolicy policy)
    {
        _path = path;
        _kind = kind;
        Policy = policy;
    }

    /// <summary>The policy that the file contains.</summary>
    public TlogPolicy Policy { get; }

    private const int MaxFileLength = 16 << 20;

    /// <summary>
    /// Loads the policy's file; returns null if the setting is empty. Throws <see cref="StartupException"/> if the policy cannot be used.
    /// </summary>
    /// <param name="setting">The name of the setting.</param>
    /// <param name="path">The value of the setting.</param>
    /// <param name="kind">The plural noun with which messages name the policy's witnesses, because the setting may be for auditors.</param>
    /// <param name="max">The highest number of witnesses that the service can ask.</param>
    public static PolicyFile? Load(string setting, string path, string kind, int max)
    {
        if (path.Length == 0)
        {
            return null;
        }
        byte[] text;
        try
        {
            text = InputFile.Read(path, MaxFileLength);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"{setting}: {e.Message}", e);
        }
        if (!TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out int line))
        {
            throw new StartupException($"The policy {path} is refused at line {line}: {error} (docs/spec/board.md section 7).");
        }
        return policy.Witnesses.Count > 0 && policy.Witnesses.Count <= max
            ? new PolicyFile(path, kind, policy)
            : throw new StartupException($"The policy {path} has {policy.Witnesses.Count} {kind}: it must have 1 to {max}.");
    }

    /// <summary>
    /// Throws <see cref="StartupException"/> if the policy is not for the log with this key, or if the policy lists the log's own key as a
    /// witness.
    /// </summary>
    public void ThrowUnlessForLog(VerifierKey logKey)
    {
        if (Policy.Logs.Count > 0 && !Policy.Logs.Any(log => log.Key.Equals(logKey)))
        {
            throw new StartupException($"The policy {_path} names logs, but not {logKey}: add a line for it, or name no log.");
        }
        if (Policy.Witnesses.Any(witness => witness.Key.PublicKey.SequenceEqual(logKey.PublicKey)))
        {
            throw new StartupException($"The policy {_path} has the log's own key among its {_kind}.");
        }
    }

    /// <summary>Returns the address of a path below a witness's URL. Throws <see cref="StartupException"/> if the witness has no usable
    /// URL.</summary>
    /// <param name="witness">A witness of the policy.</param>
    /// <param name="below">The path below the witness's URL, without a leading slash.</param>
    /// <param name="before">The words that the error message puts before the witness's URL.</param>
    public Uri BuildUrl(PolicyWitness witness, string below, string before)
    {
        ArgumentNullException.ThrowIfNull(witness);
        return Uri.TryCreate($"{witness.Url?.TrimEnd('/')}/{below}", UriKind.Absolute, out Uri? url)
            && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp) && url is { Query: "", Fragment: "", UserInfo: "" }
            ? url
            : throw new StartupException(
                $"The policy {_path} has no URL for {witness.Key.Name}: write 'witness NAME VKEY https://...', where the URL is the prefix before {before}.");
    }
}
