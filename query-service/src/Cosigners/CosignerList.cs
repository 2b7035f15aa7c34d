using System.Security.Cryptography;
using System.Text;
using Optiks.QueryService.Options;
using Optiks.Tlog;

namespace Optiks.QueryService.Cosigners;

/// <summary>CosignerList is the file of the settings, a policy (docs/spec/board.md section 7) whose witnesses are all who cosign: auditors too. Immutable.</summary>
internal sealed class CosignerList
{
    /// <summary>Most cosigners: each is a request every few seconds, and a note in each answer.</summary>
    public const int MaxCosigners = 32;

    private const string Setting = $"{QueryServiceOptions.Section}:{nameof(QueryServiceOptions.CosignersFile)}";

    private readonly string _path;
    private readonly TlogPolicy _policy;

    private CosignerList(string path, TlogPolicy policy)
    {
        _path = path;
        _policy = policy;
    }

    /// <summary>Load reads the file of the settings; null when they name none. Throws <see cref="StartupException"/> for one that cannot be used.</summary>
    public static CosignerList? Load(QueryServiceOptions options)
    {
        string path = options.CosignersFile;
        if (path.Length == 0)
        {
            return null;
        }
        byte[] text;
        try
        {
            text = File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"{Setting}: {e.Message}", e);
        }
        if (!TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out int line))
        {
            throw new StartupException($"The policy {path} is refused at line {line}: {error} (docs/spec/board.md section 7).");
        }
        if (policy.Witnesses.Count is 0 or > MaxCosigners)
        {
            throw new StartupException($"The policy {path} has {policy.Witnesses.Count} cosigners: 1 to {MaxCosigners} can be asked.");
        }
        var list = new CosignerList(path, policy);
        // What is wrong with an address does not depend on the log.
        _ = list.Addresses("");
        return list;
    }

    /// <summary>Of a log: who cosigns it, in the order of the file. Throws <see cref="StartupException"/> when the file is about other logs.</summary>
    public IReadOnlyList<Cosigner> Of(VerifierKey logKey)
    {
        if (_policy.Logs.Count > 0 && !_policy.Logs.Any(log => log.Key.Equals(logKey)))
        {
            throw new StartupException($"The policy {_path} has other logs than {logKey}: add a line for it, or name no log.");
        }
        return _policy.Witnesses.Any(witness => witness.Key.PublicKey.SequenceEqual(logKey.PublicKey))
            ? throw new StartupException($"The policy {_path} has the log's own key for a cosigner's.")
            : Addresses(logKey.Name);
    }

    // The monitoring address of C2SP tlog-witness, which auditors have as well.
    private Cosigner[] Addresses(string origin)
    {
        string log = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(origin)));
        return [.. _policy.Witnesses.Select(witness => new Cosigner(witness.Key, witness.Url is null ? null : AddressOf(witness, log)))];
    }

    private Uri AddressOf(PolicyWitness witness, string log) =>
        Uri.TryCreate($"{witness.Url!.TrimEnd('/')}/{log}/checkpoint", UriKind.Absolute, out Uri? url)
        && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp) && url is { Query: "", Fragment: "", UserInfo: "" }
            ? url
            : throw new StartupException($"The policy {_path} has no URL to ask {witness.Key.Name} at: 'witness NAME VKEY https://...', the prefix before the log's name.");
}
