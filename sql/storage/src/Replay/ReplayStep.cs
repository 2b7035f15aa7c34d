using Optiks.Native;

namespace Optiks.Storage;

/// <summary>
/// A verified step to the next epoch of a replay, which is not committed yet. If the step is disposed of without a commit, nothing changes.
/// </summary>
public sealed class ReplayStep : IDisposable
{
    private readonly LogReplay _replay;
    private readonly LogTrees _trees;
    private readonly StagedEpoch _staged;

    internal ReplayStep(LogReplay replay, VerifiedEpoch epoch, LogTrees trees, StagedEpoch staged)
    {
        _replay = replay;
        _trees = trees;
        _staged = staged;
        Epoch = epoch;
    }

    /// <summary>The epoch that will be the replay's last one after the commit.</summary>
    public VerifiedEpoch Epoch { get; }

    /// <summary>
    /// Returns the encoded AuditProof of the step (docs/spec/answers.md section 1). The step must have been staged with proofs, and the
    /// call must come before the commit.
    /// </summary>
    public byte[] AuditProof() => Protocol.AuditProof.Encode([_replay.Last.Row.Record, Epoch.Row.Record], _staged.AppendProofs());

    /// <summary>
    /// Makes the epoch the replay's last epoch. If the disk fails, changes nothing and throws <see cref="OptiksNativeException"/> with
    /// <see cref="NativeStatus.Io"/>.
    /// </summary>
    public void Commit()
    {
        _staged.Commit();
        _replay.Append(Epoch, _trees);
    }

    /// <inheritdoc/>
    public void Dispose() => _staged.Dispose();
}
