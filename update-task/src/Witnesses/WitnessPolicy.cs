using Optiks.Protocol;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the configured witness policy and the address of each of its witnesses. Immutable.</summary>
internal sealed class WitnessPolicy
{
    // The maximum number of witnesses in a policy. It is one less than the maximum number of a checkpoint's signature lines, because one
    // line is the log's own.
    private const int MaxWitnesses = BoardCosigner.MaxLines - 1;

    private readonly PolicyFile _file;

    private WitnessPolicy(PolicyFile file)
    {
        _file = file;
        Witnesses =
            [.. file.Policy.Witnesses.Select(
                witness => new WitnessAddress(witness.Key, file.BuildUrl(witness, "add-checkpoint", "/add-checkpoint")))];
    }

    /// <summary>The policy that the policy file contains.</summary>
    public TlogPolicy Policy => _file.Policy;

    /// <summary>The witnesses that the task asks, in the order of the policy file.</summary>
    public IReadOnlyList<WitnessAddress> Witnesses { get; }

    /// <summary>
    /// Loads the policy file that the options name; returns null if they name no file. Throws <see cref="StartupException"/> if the policy
    /// cannot be used.
    /// </summary>
    public static WitnessPolicy? Load(WitnessOptions options)
    {
        string setting = $"{WitnessOptions.Section}:{nameof(options.PolicyFile)}";
        PolicyFile? file = PolicyFile.Load(setting, options.PolicyFile, "witnesses", MaxWitnesses);
        // If cosignatures are required, a policy is refused if its quorum is met without any cosignature.
        if (options.Require && file?.Policy.IsMetBy(new HashSet<VerifierKey>()) == true)
        {
            throw new StartupException(
                $"{WitnessOptions.Section}:{nameof(options.Require)} needs a policy with a quorum: the quorum of {options.PolicyFile} is met without any cosignature.");
        }
        return file is null ? null : new WitnessPolicy(file);
    }

    /// <summary>
    /// Returns the verifier that opens checkpoints of this log. Throws <see cref="StartupException"/> if the policy belongs to another log.
    /// </summary>
    public CheckpointVerifier CreateVerifier(VerifierKey logKey)
    {
        _file.ThrowUnlessForLog(logKey);
        return Policy.Verifier(logKey, Native.Ed25519.Verifier);
    }
}
