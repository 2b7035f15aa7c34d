using System.Collections.Immutable;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Auditor;

/// <summary>The last signed statement about a log, with the note that the auditor serves (docs/spec/auditing.md section 1).</summary>
public sealed record SignedStatement
{
    /// <summary>The vkey of the key that signed.</summary>
    public required string Auditor { get; init; }

    /// <summary>The first epoch of the coverage.</summary>
    public required ulong FirstEpoch { get; init; }

    /// <summary>
    /// Switches of the period after the first epoch. At these epochs the auditor did not compare the trees of devices and keys with the
    /// trees before.
    /// </summary>
    public ImmutableArray<ulong> Switches { get; init => field = value.IsDefault ? [] : value; } = [];

    /// <summary>The checkpoint with the signatures of the log and of the auditor.</summary>
    public required byte[] Note { get; init; }

    /// <summary>The record of the last covered epoch.</summary>
    public required byte[] Record { get; init; }

    /// <summary>The cosignature's time, in seconds of Unix time.</summary>
    public required ulong SignedAt { get; init; }

    /// <summary>The last covered epoch.</summary>
    internal ulong Epoch => EpochRecord.ReadEpoch(Record);

    /// <summary>The size of the checkpoint.</summary>
    internal ulong Size => Epoch + 1;

    /// <summary>
    /// Verifies a statement that was read from disk; returns null if this auditor did not sign the statement for this log.
    /// </summary>
    internal SignedCheckpoint? Open(TrustAnchor anchor, VerifierKey auditor)
    {
        var verifier = new CheckpointVerifier(anchor.LogKey, [auditor], Ed25519.Verifier);
        return Auditor == auditor.ToString() && Record.Length == EpochRecord.Length && Verifier.VerifyRecord(anchor, Record, []) == Reason.Valid
            && verifier.TryOpen(Note, out SignedCheckpoint? opened, out _) && opened.Checkpoint.Size == Size && FirstEpoch <= Epoch
            && opened.Cosignatures is [{ Timestamp: { } timestamp }] && timestamp == SignedAt
            ? opened
            : null;
    }
}
