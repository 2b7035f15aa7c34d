using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>SignedStatement is what was signed last of a log, with the note that is served (docs/spec/auditing.md section 1).</summary>
public sealed record SignedStatement
{
    /// <summary>Auditor is the vkey that signed.</summary>
    public required string Auditor { get; init; }

    /// <summary>FirstEpoch of the coverage.</summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>Switches of the period after the first epoch: devices and keys were not compared there.</summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>Note is the checkpoint with the log's signature and the auditor's.</summary>
    public required byte[] Note { get; init; }

    /// <summary>Record of the last epoch that is covered.</summary>
    public required byte[] Record { get; init; }

    /// <summary>SignedAt in Unix time, seconds: the cosignature's.</summary>
    public required ulong SignedAt { get; init; }

    /// <summary>Epoch is the last one that is covered.</summary>
    internal ulong Epoch => EpochRecord.EpochOf(Record);

    /// <summary>Size of the checkpoint.</summary>
    internal ulong Size => Epoch + 1;

    /// <summary>Open verifies what was read from disk; null: it is not what this auditor signed of this log.</summary>
    internal SignedCheckpoint? Open(TrustAnchor anchor, VerifierKey auditor)
    {
        var verifier = new CheckpointVerifier(anchor.LogKey, [auditor], Ed25519.Verifier);
        return Auditor == auditor.ToString() && Record.Length == EpochRecord.Length && Verifier.Record(anchor, Record, []) == Reason.Valid
            && verifier.TryOpen(Note, out SignedCheckpoint? opened, out _) && opened.Checkpoint.Size == Size && FirstEpoch <= Epoch
            && opened.Cosignatures is [{ Timestamp: { } timestamp }] && timestamp == SignedAt
            ? opened
            : null;
    }
}
