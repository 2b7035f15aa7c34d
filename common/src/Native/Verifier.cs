using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Verifies answers against a trust anchor with the native verifier, which every .NET program uses. The class has no state, and any thread
/// may use it. Its inputs may be hostile: for a proof that fails, a method returns a verdict and never throws an exception.
/// </summary>
public static unsafe partial class Verifier
{
    // The length of the shortest member of a Versions structure. It has a VRF proof, an epoch, a kind, an opening, the length of an empty
    // value, and a path without siblings.
    private const int LeastMemberLength = Lengths.VrfProof + 8 + 1 + Lengths.Opening + 3 + Lengths.Hash + 2;

    /// <summary>Checks that a configuration is within its bounds and that a log key (32 bytes) is valid, and computes the log id.</summary>
    public static Reason Anchor(ReadOnlySpan<byte> configuration, ReadOnlySpan<byte> logPublicKey, out byte[] logId)
    {
        Check.Length(logPublicKey, Ed25519.PublicKeyLength);
        logId = new byte[32];
        fixed (byte* pinned = configuration)
        {
            Interop.Anchor anchor = MakeAnchor(pinned, configuration.Length, logPublicKey);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_verify_anchor(in anchor, out int reason, logId), nameof(Interop.optiks_verify_anchor));
            return (Reason)reason;
        }
    }

    /// <summary>Verifies a Head without the rest of an answer. The Head may belong to an ended period.</summary>
    public static HeadVerdict VerifyHead(VerifierContext context, ReadOnlySpan<byte> head)
    {
        ArgumentNullException.ThrowIfNull(context);
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        fixed (byte* ended = context.EndedRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord, ended);
            OptiksNativeException.ThrowIfFailed(
                Interop.optiks_verify_head(in native, head, (nuint)head.Length, out int reason, out Interop.HeadResult result),
                nameof(Interop.optiks_verify_head));
            return reason == 0 ? new HeadVerdict(Reason.Valid, Accepted(result)) : new HeadVerdict((Reason)reason, null);
        }
    }

    /// <summary>Verifies a LookupAnswer about keys of the structure <c>keys</c>; the parameter <paramref name="known"/> has one element for
    /// each key.</summary>
    public static LookupVerdict Lookup(VerifierContext context, ByteStrings keys, ReadOnlySpan<KnownKey> known, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        Interop.Known[] nativeKnown = MakeKnown(keys, known);
        var results = new Interop.LookupResult[keys.Count];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord);
            int status = Interop.optiks_verify_lookup(
                in native, (nuint)keys.Count, keys.Blob, keys.Offsets, nativeKnown, answer, (nuint)answer.Length,
                out int reason, out nuint failed, out Interop.HeadResult head, results);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_lookup));
            if (reason != 0)
            {
                return new LookupVerdict((Reason)reason, FailedKey(failed, keys.Count), null, []);
            }
            var accepted = new VerifiedLookup[results.Length];
            for (int i = 0; i < accepted.Length; i++)
            {
                accepted[i] = Accepted(in results[i]);
            }
            return new LookupVerdict(Reason.Valid, null, Accepted(head), accepted);
        }
    }

    /// <summary>
    /// Verifies a HistoryAnswer or a MonitorAnswer to a request for the versions of each key after the known version. The call does not
    /// check whether version 1 is the right copy; <see cref="Handover"/> does.
    /// </summary>
    public static VersionsVerdict Versions(
        VerifierContext context, ByteStrings keys, ReadOnlySpan<KnownKey> known, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        Interop.Known[] nativeKnown = MakeKnown(keys, known);
        var results = new Interop.VersionsResult[keys.Count];
        var entries = new Interop.VersionEntry[(answer.Length / LeastMemberLength) + 1];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        fixed (byte* ended = context.EndedRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord, ended);
            int status = Interop.optiks_verify_versions(
                in native, (nuint)keys.Count, keys.Blob, keys.Offsets, nativeKnown, answer, (nuint)answer.Length,
                out int reason, out nuint failed, out Interop.HeadResult head, results, entries, (nuint)entries.Length, out _);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_versions));
            return reason != 0
                ? new VersionsVerdict((Reason)reason, FailedKey(failed, keys.Count), null, [])
                : new VersionsVerdict(Reason.Valid, null, Accepted(head), Accepted(results, entries));
        }
    }

    /// <summary>
    /// Verifies an AuditProof that begins at the auditor's stored record. <paramref name="periodRecord"/> is the record of the first epoch
    /// of the stored record's period. The caller must have checked that the log's checkpoint covers <paramref name="periodRecord"/> too. If
    /// the stored record is the first of its period, both records are the same. The call uses only the anchor and the clock of
    /// <paramref name="context"/>.
    /// </summary>
    public static AuditVerdict Audit(
        VerifierContext context, ReadOnlySpan<byte> storedRecord, ReadOnlySpan<byte> periodRecord, ReadOnlySpan<byte> proof)
    {
        ArgumentNullException.ThrowIfNull(context);
        Check.Length(storedRecord, EpochRecord.Length);
        Check.Length(periodRecord, EpochRecord.Length);
        byte[] newRecord = new byte[EpochRecord.Length];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        {
            Interop.Context native = MakeContext(context, configuration, null, null);
            int status = Interop.optiks_verify_audit(
                in native, storedRecord, periodRecord, proof, (nuint)proof.Length, out int reason, newRecord, out uint structures);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_audit));
            return reason == 0
                ? new AuditVerdict(Reason.Valid, newRecord, Structures(structures))
                : new AuditVerdict((Reason)reason, default, []);
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
            Interop.Anchor native = MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
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
            Interop.Anchor native = MakeAnchor(configuration, anchor.ConfigurationOctets.Length, anchor.LogKey.PublicKey);
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

    private static Interop.Anchor MakeAnchor(byte* configuration, int length, ReadOnlySpan<byte> logPublicKey)
    {
        var anchor = new Interop.Anchor { Configuration = configuration, ConfigurationLen = (nuint)length };
        logPublicKey.CopyTo(anchor.LogPublicKey);
        return anchor;
    }

    private static Interop.Context MakeContext(
        VerifierContext context, byte* configuration, byte* record, byte* periodRecord, byte* ended = null)
    {
        if (!context.EndedRecord.IsEmpty && ended == null)
        {
            throw new ArgumentException("Only heads, history and monitoring accept ended periods.", nameof(context));
        }
        var native = new Interop.Context
        {
            Anchor = MakeAnchor(configuration, context.Anchor.ConfigurationOctets.Length, context.Anchor.LogKey.PublicKey),
            NowMs = context.NowMs,
            KeptSize = context.KeptSize,
        };
        if (context.KeptSize > 0)
        {
            Check.Length(context.KeptRoot.Span, 32);
            context.KeptRoot.Span.CopyTo(native.KeptRoot);
        }
        if (record != null)
        {
            Check.Length(context.KeptRecord.Span, EpochRecord.Length);
            native.KeptRecord = record;
        }
        if (periodRecord != null)
        {
            Check.Length(context.KeptPeriodRecord.Span, EpochRecord.Length);
            native.KeptPeriodRecord = periodRecord;
        }
        if (ended != null)
        {
            Check.Length(context.EndedRecord.Span, EpochRecord.Length);
            native.EndedRecord = ended;
        }
        return native;
    }

    private static Interop.Known[] MakeKnown(ByteStrings keys, ReadOnlySpan<KnownKey> known)
    {
        ArgumentNullException.ThrowIfNull(keys);
        if (known.Length != keys.Count)
        {
            throw new ArgumentException("There is one known state for each key.", nameof(known));
        }
        var native = new Interop.Known[known.Length];
        for (int i = 0; i < native.Length; i++)
        {
            native[i] = MakeKnown(known[i]);
        }
        return native;
    }

    private static Interop.Known MakeKnown(KnownKey known) => new()
    {
        LeastEpoch = known.LeastEpoch,
        Period = known.Period,
        Version = known.Version,
        Time = known.Time,
        AbsentEpoch = known.AbsentEpoch.GetValueOrDefault(),
        HasAbsent = known.AbsentEpoch.HasValue ? 1u : 0u,
        PageVersion = known.PageVersion,
    };

    // The bit with index s - 1 represents the structure with number s.
    private static StructureId[] Structures(uint bits) =>
        [.. Enumerable.Range(1, StructureState.StructureCount).Where(id => (bits >> (id - 1) & 1) != 0).Select(id => (StructureId)id)];

    private static int? FailedKey(nuint failed, int count) => failed < (nuint)count ? (int)failed : null;

    private static VerifiedHead Accepted(in Interop.HeadResult head) => new(
        head.Epoch,
        head.Period,
        head.PeriodFirstEpoch,
        head.TimeMs,
        head.Size,
        ((ReadOnlySpan<byte>)head.Root).ToArray(),
        Slice(head.RecordOffset, EpochRecord.Length),
        Slice(head.CheckpointOffset, head.CheckpointLen));

    private static VerifiedLookup Accepted(in Interop.LookupResult result) =>
        new(result.Version, result.Time, result.LeafEpoch, ValueRange(result.HasValue, result.ValueOffset, result.ValueLen),
            result.BeginsWithCopy != 0);

    private static VerifiedVersions[] Accepted(Interop.VersionsResult[] results, ReadOnlySpan<Interop.VersionEntry> entries)
    {
        var accepted = new VerifiedVersions[results.Length];
        for (int i = 0; i < accepted.Length; i++)
        {
            ref readonly Interop.VersionsResult result = ref results[i];
            var versions = new VerifiedVersion[result.NumEntries];
            for (int j = 0; j < versions.Length; j++)
            {
                ref readonly Interop.VersionEntry entry = ref entries[j];
                versions[j] = new VerifiedVersion(
                    entry.Version, entry.LeafEpoch, entry.Time, ValueRange(entry.HasValue, entry.ValueOffset, entry.ValueLen));
            }
            entries = entries[versions.Length..];
            accepted[i] = new VerifiedVersions(result.Version, result.From, versions, result.Complete != 0);
        }
        return accepted;
    }

    private static Range? ValueRange(int hasValue, nuint offset, nuint length) => hasValue == 0 ? null : Slice(offset, length);

    private static Range Slice(nuint offset, nuint length) => new((int)offset, (int)(offset + length));
}
