using Optiks.Native;

namespace Optiks.Storage.Replay;

/// <summary>The next epoch of a replay, verified and not yet its last. Disposing it without a commit leaves everything as it was.</summary>
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

    /// <summary>Epoch that it leads to.</summary>
    public VerifiedEpoch Epoch { get; }

    /// <summary>Gives the AuditProof of the step (docs/spec/answers.md section 1), encoded. Needs a stage with proofs, and is asked for before the commit.</summary>
    public byte[] AuditProof() => Protocol.AuditProof.Encode([_replay.Last.Row.Record, Epoch.Row.Record], _staged.AppendProofs());

    /// <summary>Makes it the replay's last epoch. Throws <see cref="OptiksNativeException"/> (<see cref="NativeStatus.Io"/>) when the disk fails: nothing has changed then.</summary>
    public void Commit()
    {
        _staged.Commit();
        _replay.Append(Epoch, _trees);
    }

    /// <inheritdoc/>
    public void Dispose() => _staged.Dispose();
}
