using Optiks.Tlog;

namespace Optiks.Protocol;

/// <summary>PolicyFile is a policy (docs/spec/board.md section 7) that a setting of a service names: whom it asks about its log. Immutable, thread-safe.</summary>
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

    /// <summary>Policy as it was read.</summary>
    public TlogPolicy Policy { get; }

    private const int MaxFileLength = 16 << 20;

    /// <summary>Load reads the file; null when the setting is empty. Throws <see cref="StartupException"/> for one that cannot be used.</summary>
    /// <param name="setting">Name of the setting.</param>
    /// <param name="path">Its value.</param>
    /// <param name="kind">What the policy's witnesses are here, in the plural.</param>
    /// <param name="max">Most of them that can be asked.</param>
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
            : throw new StartupException($"The policy {path} has {policy.Witnesses.Count} {kind}: 1 to {max} can be asked.");
    }

    /// <summary>ThrowUnlessOf throws <see cref="StartupException"/> when the policy is about other logs, or has the log's own key for one of those who are asked.</summary>
    public void ThrowUnlessOf(VerifierKey logKey)
    {
        if (Policy.Logs.Count > 0 && !Policy.Logs.Any(log => log.Key.Equals(logKey)))
        {
            throw new StartupException($"The policy {_path} has other logs than {logKey}: add a line for it, or name no log.");
        }
        if (Policy.Witnesses.Any(witness => witness.Key.PublicKey.SequenceEqual(logKey.PublicKey)))
        {
            throw new StartupException($"The policy {_path} has the log's own key among its {_kind}.");
        }
    }

    /// <summary>UrlOf gives the address below a witness's own. Throws <see cref="StartupException"/> when there is none that can be asked.</summary>
    /// <param name="witness">Of the policy.</param>
    /// <param name="below">Path below its URL, without a slash before it.</param>
    /// <param name="before">How the sentence says what the URL is a prefix of.</param>
    public Uri UrlOf(PolicyWitness witness, string below, string before)
    {
        ArgumentNullException.ThrowIfNull(witness);
        return Uri.TryCreate($"{witness.Url?.TrimEnd('/')}/{below}", UriKind.Absolute, out Uri? url)
            && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp) && url is { Query: "", Fragment: "", UserInfo: "" }
            ? url
            : throw new StartupException($"The policy {_path} has no URL to ask {witness.Key.Name} at: 'witness NAME VKEY https://...', the prefix before {before}.");
    }
}
