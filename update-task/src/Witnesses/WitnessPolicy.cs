using Optiks.Protocol;
using Optiks.Tlog;
using Optiks.UpdateTask.Options;

namespace Optiks.UpdateTask.Witnesses;

/// <summary>Holds the configured policy, in which each witness has an address. Immutable.</summary>
internal sealed class WitnessPolicy
{
    // The highest number of witnesses: one signature line of a checkpoint is the log's own.
    private const int MaxWitnesses = BoardCosigner.MaxLines - 1;

    private readonly PolicyFile _file;

    private WitnessPolicy(PolicyFile file)
    {
        _file = file;
        Witnesses = [.. file.Policy.Witnesses.Select(witness => new WitnessAddress(witness.Key, file.BuildUrl(witness, "add-checkpoint", "/add-checkpoint")))];
    }

    /// <summary>The policy in the file.</summary>
    public TlogPolicy Policy => _file.Policy;

    /// <summary>The witnesses to ask, in the policy's order.</summary>
    public IReadOnlyList<WitnessAddress> Witnesses { get; }

    /// <summary>
    /// Loads the file named in the settings; returns null if they name no file. Throws <see cref="StartupException"/> if the policy cannot
    /// be used.
    /// </summary>
    public static WitnessPolicy? Load(WitnessOptions options)
    {
        string setting = $"{WitnessOptions.Section}:{nameof(options.PolicyFile)}";
        PolicyFile? file = PolicyFile.Load(setting, options.PolicyFile, "witnesses", MaxWitnesses);
        // A policy whose quorum is met without any cosignature is refused where cosignatures are required.
        if (options.Require && file?.Policy.IsMetBy(new HashSet<VerifierKey>()) == true)
        {
            throw new StartupException($"{WitnessOptions.Section}:{nameof(options.Require)} needs a policy with a quorum: the quorum of {options.PolicyFile} is met without any cosignature.");
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
