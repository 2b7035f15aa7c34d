using Optiks.Protocol;

namespace Optiks.Native;

/// <summary>
/// Verifies answers about keys, epochs and periods against a trust anchor with the native verifier, which every .NET program uses. The
/// classes <see cref="UserVerifier"/> and <see cref="LogVerifier"/> verify answers about users and the log itself. These classes have no
/// state, and any thread may use them. Their inputs may be hostile: for a proof that fails, a method returns a verdict and never throws an
/// exception.
/// </summary>
public static unsafe class Verifier
{
    /// <summary>Verifies a Head without the rest of an answer. The Head may belong to an ended period.</summary>
    public static HeadVerdict VerifyHead(VerifierContext context, ReadOnlySpan<byte> head)
    {
        using var pinned = new PinnedContext(context, mayBeEnded: true);
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_verify_head(in pinned.Native, head, (nuint)head.Length, out int reason, out Interop.HeadResult result),
            nameof(Interop.optiks_verify_head));
        return reason == 0 ? new HeadVerdict(Reason.Valid, VerifierResults.MakeHead(result)) : new HeadVerdict((Reason)reason, null);
    }

    /// <summary>Verifies a LookupAnswer about keys of the structure <c>keys</c>; the parameter <paramref name="known"/> has one element for
    /// each key.</summary>
    public static LookupVerdict Lookup(VerifierContext context, ByteStrings keys, ReadOnlySpan<KnownKey> known, ReadOnlySpan<byte> answer)
    {
        Interop.Known[] nativeKnown = VerifierInputs.MakeKnown(keys, known);
        var results = new Interop.LookupResult[keys.Count];
        using var pinned = new PinnedContext(context);
        int status = Interop.optiks_verify_lookup(
            in pinned.Native, (nuint)keys.Count, keys.Blob, keys.Offsets, nativeKnown, answer, (nuint)answer.Length,
            out int reason, out nuint failed, out Interop.HeadResult head, results);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_lookup));
        if (reason != 0)
        {
            return new LookupVerdict((Reason)reason, VerifierResults.FindFailedKey(failed, keys.Count), null, []);
        }
        var accepted = new VerifiedLookup[results.Length];
        for (int i = 0; i < accepted.Length; i++)
        {
            accepted[i] = VerifierResults.MakeLookup(in results[i]);
        }
        return new LookupVerdict(Reason.Valid, null, VerifierResults.MakeHead(head), accepted);
    }

    /// <summary>
    /// Verifies a HistoryAnswer or a MonitorAnswer to a request for the versions of each key after the known version. The call does not
    /// check whether version 1 is the right copy; <see cref="Handover"/> does.
    /// </summary>
    public static VersionsVerdict Versions(
        VerifierContext context, ByteStrings keys, ReadOnlySpan<KnownKey> known, ReadOnlySpan<byte> answer)
    {
        Interop.Known[] nativeKnown = VerifierInputs.MakeKnown(keys, known);
        var results = new Interop.VersionsResult[keys.Count];
        var entries = new Interop.VersionEntry[(answer.Length / VerifierResults.LeastMemberLength) + 1];
        using var pinned = new PinnedContext(context, mayBeEnded: true);
        fixed (Interop.VersionsResult* resultsAt = results)
        fixed (Interop.VersionEntry* entriesAt = entries)
        {
            var verdict = new Interop.VersionsVerdict { Results = resultsAt, Entries = entriesAt, EntriesCapacity = (nuint)entries.Length };
            int status = Interop.optiks_verify_versions(
                in pinned.Native, (nuint)keys.Count, keys.Blob, keys.Offsets, nativeKnown, answer, (nuint)answer.Length, ref verdict);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_versions));
            return verdict.Reason != 0
                ? new VersionsVerdict((Reason)verdict.Reason, VerifierResults.FindFailedKey(verdict.Failed, keys.Count), null, [])
                : new VersionsVerdict(
                    Reason.Valid, null, VerifierResults.MakeHead(verdict.Head), VerifierResults.MakeVersions(results, entries));
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
        Check.Length(storedRecord, EpochRecord.Length);
        Check.Length(periodRecord, EpochRecord.Length);
        byte[] newRecord = new byte[EpochRecord.Length];
        using var pinned = new PinnedContext(context);
        int status = Interop.optiks_verify_audit(
            in pinned.Native, storedRecord, periodRecord, proof, (nuint)proof.Length, out int reason, newRecord, out uint structures);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_audit));
        return reason == 0
            ? new AuditVerdict(Reason.Valid, newRecord, Structures(structures))
            : new AuditVerdict((Reason)reason, default, []);
    }

    /// <summary>
    /// Verifies a PeriodsAnswer. The parameter <paramref name="period"/> is the first period of the answer: the kept record's period or an
    /// earlier period.
    /// </summary>
    public static PeriodsVerdict Periods(VerifierContext context, ulong period, ReadOnlySpan<byte> answer)
    {
        Span<nuint> bounds = stackalloc nuint[ProtocolLimits.MaxPeriodBounds];
        using var pinned = new PinnedContext(context);
        int status = Interop.optiks_verify_periods(
            in pinned.Native, period, answer, (nuint)answer.Length, out int reason, out Interop.HeadResult head, bounds,
            (nuint)bounds.Length, out nuint numBounds);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_periods));
        if (reason != 0)
        {
            return new PeriodsVerdict((Reason)reason, null, [], []);
        }
        var ranges = new Range[numBounds];
        for (int i = 0; i < ranges.Length; i++)
        {
            ranges[i] = VerifierResults.Slice(bounds[i], EpochRecord.Length);
        }
        return new PeriodsVerdict(Reason.Valid, VerifierResults.MakeHead(head), ranges, Ends(ranges, answer));
    }

    /// <summary>
    /// Returns the period of an answer's record, if the log signed the record and its period differs from the kept record's period. The
    /// caller must not accept such an answer: it first uses <see cref="Periods"/> to get from the kept period to the later period, and then
    /// repeats its request. Otherwise returns null, and the caller decides about the answer only by the parameter
    /// <paramref name="reason"/>.
    /// </summary>
    /// <param name="context">The context with which the answer was verified. It must not be the context of a query about an ended
    /// period.</param>
    /// <param name="reason">The result of that verification.</param>
    /// <param name="answer">The answer.</param>
    public static ulong? OtherPeriod(VerifierContext context, Reason reason, ReadOnlyMemory<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (context.KeptRecord.IsEmpty || reason.IsMalformed() || reason == Reason.Fork)
        {
            return null;
        }
        ulong period = EpochRecord.ReadPeriod(answer.Span);
        if (period == EpochRecord.ReadPeriod(context.KeptRecord.Span))
        {
            return null;
        }
        // Only a record that the log signed belongs to a period of the log. If the verifier refused the record because of its period, it
        // has already checked the log's signature.
        ReadOnlySpan<byte> head = AnswerHead.SliceHead(answer).Span;
        return reason == Reason.Valid
            || (LogVerifier.VerifyRecord(context.Anchor, head[..EpochRecord.Length], []) == Reason.Valid
                && VerifyHead(context, head).Reason is Reason.Valid or Reason.RecordPeriod)
            ? period : null;
    }

    /// <summary>
    /// Compares version 1 of a key or device list, in an accepted answer of the next period, with the end state of the same key or list
    /// (docs/spec/periods.md section 6). The versions in the parameter <paramref name="shown"/> must begin with version 1. Later versions
    /// do not matter, so the first page of a history is enough.
    /// </summary>
    /// <param name="head">The head of the answer.</param>
    /// <param name="shown">The answer's versions of the key.</param>
    /// <param name="end">The known state of the key or list at the end of the previous period.</param>
    /// <param name="answer">The answer.</param>
    public static Reason Handover(VerifiedHead head, VerifiedVersions shown, EndState end, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(head);
        ArgumentNullException.ThrowIfNull(shown);
        ArgumentNullException.ThrowIfNull(end);
        if (shown.From != 1)
        {
            throw new ArgumentException("A hand-over needs the list of versions from version 1 on.", nameof(shown));
        }
        var nativeHead = new Interop.HeadResult { Epoch = head.Epoch, Period = head.Period, PeriodFirstEpoch = head.PeriodFirstEpoch };
        var native = new Interop.End { Period = end.Period, LastEpoch = end.LastEpoch, Version = end.Version };
        if (end.Version > 0)
        {
            Check.Length(end.ValueSha256.Span, 32);
            end.ValueSha256.Span.CopyTo(native.ValueSha256);
        }
        Interop.VersionEntry first = shown.Members.Count > 0 ? Entry(shown.Members[0], answer.Length) : default;
        int status = Interop.optiks_verify_handover(
            in nativeHead, shown.Members.Count > 0 ? &first : null, answer, (nuint)answer.Length, in native, out int reason);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_handover));
        return (Reason)reason;
    }

    // The bit with index s - 1 represents the structure with number s.
    private static StructureId[] Structures(uint bits) =>
        [.. Enumerable.Range(1, StructureState.StructureCount).Where(id => (bits >> (id - 1) & 1) != 0).Select(id => (StructureId)id)];

    // If two consecutive bounds belong to different periods, the earlier bound is the last record of its period. A period of one epoch has
    // only one bound.
    private static List<Range> Ends(Range[] bounds, ReadOnlySpan<byte> answer)
    {
        var ends = new List<Range>();
        for (int i = 0; i + 1 < bounds.Length; i++)
        {
            if (EpochRecord.ReadPeriod(answer[bounds[i]]) != EpochRecord.ReadPeriod(answer[bounds[i + 1]]))
            {
                ends.Add(bounds[i]);
            }
        }
        return ends;
    }

    private static Interop.VersionEntry Entry(VerifiedVersion version, int answerLength)
    {
        (int offset, int length) = version.Value is { } range ? range.GetOffsetAndLength(answerLength) : (0, 0);
        return new Interop.VersionEntry
        {
            Version = version.Version,
            LeafEpoch = version.LeafEpoch,
            Time = version.Time,
            ValueOffset = (nuint)offset,
            ValueLen = (nuint)length,
            HasValue = version.Value is null ? 0 : 1,
        };
    }
}
