using Optiks.Tlog;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessPolicy is the policy of the settings, of which each witness says where it is. Immutable.</summary>
internal sealed class WitnessPolicy
{
    // The log's own line is one of a checkpoint's.
    private const int MaxWitnesses = BoardCosigner.MaxLines - 1;

    private readonly string _path;

    private WitnessPolicy(string path, TlogPolicy policy, IReadOnlyList<WitnessAddress> witnesses)
    {
        _path = path;
        Policy = policy;
        Witnesses = witnesses;
    }

    /// <summary>Policy as it was read.</summary>
    public TlogPolicy Policy { get; }

    /// <summary>Witnesses to ask, in the policy's order.</summary>
    public IReadOnlyList<WitnessAddress> Witnesses { get; }

    /// <summary>Load reads the file of the settings; null when they name none. Throws <see cref="StartupException"/> for one that cannot be used.</summary>
    public static WitnessPolicy? Load(WitnessOptions options)
    {
        string path = options.PolicyFile;
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
            throw new StartupException($"{WitnessOptions.Section}:{nameof(options.PolicyFile)}: {e.Message}", e);
        }
        if (!TlogPolicy.TryParse(text, out TlogPolicy? policy, out TlogError error, out int line))
        {
            throw new StartupException($"The policy {path} is refused at line {line}: {error} (docs/spec/board.md section 7).");
        }
        if (policy.Witnesses.Count is 0 or > MaxWitnesses)
        {
            throw new StartupException($"The policy {path} has {policy.Witnesses.Count} witnesses: 1 to {MaxWitnesses} can be asked.");
        }
        return new WitnessPolicy(path, policy, [.. policy.Witnesses.Select(witness => new WitnessAddress(witness.Key, UrlOf(path, witness)))]);
    }

    /// <summary>VerifierOf opens checkpoints of this log. Throws <see cref="StartupException"/> when the policy is another log's.</summary>
    public CheckpointVerifier VerifierOf(VerifierKey logKey)
    {
        if (Policy.Logs.Count > 0 && !Policy.Logs.Any(log => log.Key.Equals(logKey)))
        {
            throw new StartupException($"The policy {_path} has other logs than {logKey}: add a line for it, or name no log.");
        }
        return Policy.Witnesses.Any(witness => witness.Key.PublicKey.SequenceEqual(logKey.PublicKey))
            ? throw new StartupException($"The policy {_path} has the log's own key for a witness's.")
            : Policy.Verifier(logKey, Native.Ed25519.Verifier);
    }

    private static Uri UrlOf(string path, PolicyWitness witness) =>
        Uri.TryCreate($"{witness.Url?.TrimEnd('/')}/add-checkpoint", UriKind.Absolute, out Uri? url)
        && (url.Scheme == Uri.UriSchemeHttps || url.Scheme == Uri.UriSchemeHttp) && url.Query.Length == 0 && url.UserInfo.Length == 0
            ? url
            : throw new StartupException($"The policy {path} has no URL to ask {witness.Key.Name} at: 'witness NAME VKEY https://...', the prefix before /add-checkpoint.");
}
