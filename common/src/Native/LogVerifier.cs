using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Verifies the log itself, without an answer's parts: its anchor, records, checkpoints, proofs of the log's tree, and evidence that a leaf
/// changed. The class has the same properties as <see cref="Verifier"/>.
/// </summary>
public static unsafe class LogVerifier
{
    /// <summary>Checks that a configuration is within its bounds and that a log key (32 bytes) is valid, and computes the log id.</summary>
    public static Reason Anchor(ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> logPublicKey, out byte[] logId)
    {
        Check.Length(logPublicKey, Ed25519.PublicKeyLength);
        logId = new byte[32];
        fixed (byte* pinned = configuration)
        {
            Interop.Anchor anchor = VerifierInputs.MakeAnchor(pinned, configuration.Length, logPublicKey);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_verify_anchor(in anchor, out int reason, logId), nameof(Interop.optiks_verify_anchor));
            return (Reason)reason;
        }
    }

    /// <summary>
    /// Checks a record on its own and, unless the parameter <paramref name="earlier"/> is empty, also against this earlier record
    /// (docs/spec/records.md sections 3 and 4). To accept a switch, the call needs the record of the first epoch of the earlier record's
    /// period: either the earlier record itself or <paramref name="periodRecord"/>.
    /// </summary>
    public static Reason VerifyRecord(
        TrustAnchor anchor, ReadOnlySpan<byte> record, ReadOnlySpan<byte> earlier, ReadOnlySpan<byte> periodRecord = default)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        Check.Length(record, EpochRecord.Length);
        if (!earlier.IsEmpty)
        {
            Check.Length(earlier, EpochRecord.Length);
        }
        if (!periodRecord.IsEmpty)
        {
            Check.Length(periodRecord, EpochRecord.Length);
        }
        fixed (byte* configuration = anchor.ConfigurationOctets.Span)
        {
            Interop.Anchor native = VerifierInputs.MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
            OptiksNativeException.ThrowIfFailed(Interop.optiks_verify_record(in native, record, earlier, periodRecord, out int reason),
                nameof(Interop.optiks_verify_record));
            return (Reason)reason;
        }
    }

    /// <summary>Verifies a checkpoint, which is a signed note (docs/spec/board.md section 2). If the note is valid, sets
    /// <paramref name="size"/> and <paramref name="root"/> (32 bytes).</summary>
    public static Reason Checkpoint(TrustAnchor anchor, ReadOnlySpan<byte> note, out ulong size, out byte[] root)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        root = new byte[32];
        fixed (byte* configuration = anchor.ConfigurationOctets.Span)
        {
            Interop.Anchor native = VerifierInputs.MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_verify_checkpoint(in native, note, (nuint)note.Length, out int reason, out ulong found, root),
                nameof(Interop.optiks_verify_checkpoint));
            size = reason == 0 ? found : 0;
            return (Reason)reason;
        }
    }

    /// <summary>Verifies an RFC 6962 inclusion proof, which consists of hashes of 32 bytes and begins with the leaf's sibling.</summary>
    public static bool Inclusion(ulong index, ulong size, ReadOnlySpan<byte> leafHash, ReadOnlySpan<byte> root, ReadOnlySpan<byte> proof)
    {
        Check.Length(leafHash, 32);
        Check.Length(root, 32);
        if (proof.Length % 32 != 0)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_verify_inclusion(index, size, leafHash, root, proof, (nuint)proof.Length / 32, out int ok),
            nameof(Interop.optiks_verify_inclusion));
        return ok != 0;
    }

    /// <summary>Verifies an RFC 6962 consistency proof, which consists of hashes of 32 bytes.</summary>
    public static bool Consistency(
        ulong oldSize, ulong newSize, ReadOnlySpan<byte> oldRoot, ReadOnlySpan<byte> newRoot, ReadOnlySpan<byte> proof)
    {
        Check.Length(oldRoot, 32);
        Check.Length(newRoot, 32);
        if (proof.Length % 32 != 0)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_verify_consistency(oldSize, newSize, oldRoot, newRoot, proof, (nuint)proof.Length / 32, out int ok),
            nameof(Interop.optiks_verify_consistency));
        return ok != 0;
    }

    /// <summary>
    /// Judges two LeafStatements together (docs/spec/broken-append.md section 2). Returns <see cref="Reason.LeafContradicts"/> if they are
    /// evidence that a tree changed in another way than by adding leaves, and otherwise the reason why they are not evidence. Never returns
    /// <see cref="Reason.Valid"/>.
    /// </summary>
    public static Reason JudgeLeaves(TrustAnchor anchor, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        ArgumentNullException.ThrowIfNull(anchor);
        fixed (byte* configuration = anchor.ConfigurationOctets.Span)
        {
            Interop.Anchor native = VerifierInputs.MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_judge_leaves(in native, first, (nuint)first.Length, second, (nuint)second.Length, out int reason),
                nameof(Interop.optiks_judge_leaves));
            return (Reason)reason;
        }
    }
}
