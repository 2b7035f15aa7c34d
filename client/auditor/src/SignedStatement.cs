using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>The last signed statement about a log, with the note that the auditor serves (docs/spec/auditing.md section 1).</summary>
public sealed record SignedStatement
{
    /// <summary>The vkey of the key that signed the statement.</summary>
    public required string Auditor { get; init; }

    /// <summary>The first epoch of the coverage.</summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>
    /// The switches of the period after the first epoch of the coverage. At a switch, the trees of devices and keys begin anew, and the
    /// auditor did not compare the new trees with the old trees.
    /// </summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The checkpoint with the signatures of the log and of the auditor.</summary>
    public required byte[] Note { get; init; }

    /// <summary>The record of the last covered epoch.</summary>
    public required byte[] Record { get; init; }

    /// <summary>The time in the auditor's cosignature, in seconds of Unix time.</summary>
    public required ulong SignedAt { get; init; }

    /// <summary>The last covered epoch.</summary>
    internal ulong Epoch => EpochRecord.ReadEpoch(Record);

    /// <summary>The size of the signed checkpoint: the number of epochs that it covers.</summary>
    internal ulong Size => Epoch + 1;

    /// <summary>
    /// Verifies a statement that was read from disk; returns null if this auditor did not sign the statement for this log.
    /// </summary>
    internal SignedCheckpoint? Open(TrustAnchor anchor, VerifierKey auditor)
    {
        var verifier = new CheckpointVerifier(anchor.LogKey, [auditor], Ed25519.Verifier);
        return Auditor == auditor.ToString() && Record.Length == EpochRecord.Length
            && LogVerifier.VerifyRecord(anchor, Record, []) == Reason.Valid
            && verifier.TryOpen(Note, out SignedCheckpoint? opened, out _) && opened.Checkpoint.Size == Size && FirstEpoch <= Epoch
            && opened.Cosignatures is [{ Timestamp: { } timestamp }] && timestamp == SignedAt
            ? opened
            : null;
    }
}
