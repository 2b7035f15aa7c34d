using Optiks.Protocol;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>WitnessPolicy is the policy of the settings, of which each witness says where it is. Immutable.</summary>
internal sealed class WitnessPolicy
{
    // The log's own line is one of a checkpoint's.
    private const int MaxWitnesses = BoardCosigner.MaxLines - 1;

    private readonly PolicyFile _file;

    private WitnessPolicy(PolicyFile file)
    {
        _file = file;
        Witnesses = [.. file.Policy.Witnesses.Select(witness => new WitnessAddress(witness.Key, file.UrlOf(witness, "add-checkpoint", "/add-checkpoint")))];
    }

    /// <summary>Policy as it was read.</summary>
    public TlogPolicy Policy => _file.Policy;

    /// <summary>Witnesses to ask, in the policy's order.</summary>
    public IReadOnlyList<WitnessAddress> Witnesses { get; }

    /// <summary>Load reads the file of the settings; null when they name none. Throws <see cref="StartupException"/> for one that cannot be used.</summary>
    public static WitnessPolicy? Load(WitnessOptions options)
    {
        string setting = $"{WitnessOptions.Section}:{nameof(options.PolicyFile)}";
        PolicyFile? file = PolicyFile.Load(setting, options.PolicyFile, "witnesses", MaxWitnesses);
        // A group may ask for none of its members.
        if (options.Require && file?.Policy.IsMetBy(new HashSet<VerifierKey>()) == true)
        {
            throw new StartupException($"{WitnessOptions.Section}:{nameof(options.Require)} needs a policy with a quorum: that of {options.PolicyFile} is met by nobody's cosignature.");
        }
        return file is null ? null : new WitnessPolicy(file);
    }

    /// <summary>VerifierOf opens checkpoints of this log. Throws <see cref="StartupException"/> when the policy is another log's.</summary>
    public CheckpointVerifier VerifierOf(VerifierKey logKey)
    {
        _file.ThrowUnlessOf(logKey);
        return Policy.Verifier(logKey, Native.Ed25519.Verifier);
    }
}
