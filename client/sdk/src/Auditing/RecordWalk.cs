using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Goes through the entries of a board one by one, and checks whether each entry may follow the entries before it (docs/spec/answers.md
/// section 5, step 3).
/// </summary>
internal sealed class RecordWalk
{
    private readonly TrustAnchor _anchor;
    private ReadOnlyMemory<byte> _last;

    /// <summary>Begins at the first entry of the log.</summary>
    public RecordWalk(TrustAnchor anchor)
    {
        _anchor = anchor;
    }

    /// <summary>
    /// Continues after the entry passed as <paramref name="last"/>, which the caller has already verified. The entry
    /// <paramref name="periodStart"/> is the first one of that entry's period.
    /// </summary>
    public RecordWalk(TrustAnchor anchor, ReadOnlyMemory<byte> last, ReadOnlyMemory<byte> periodStart)
        : this(anchor)
    {
        _last = last;
        PeriodStart = periodStart;
    }

    /// <summary>The entry with which the period of the last accepted entry began; empty before the first entry is accepted.</summary>
    public ReadOnlyMemory<byte> PeriodStart { get; private set; }

    /// <summary>
    /// Checks the next entry and advances to it. If the entry breaks a rule, the call does not advance and returns the reason of that rule.
    /// </summary>
    public Reason Step(ReadOnlyMemory<byte> entry)
    {
        ulong index = _last.IsEmpty ? 0 : EpochRecord.ReadEpoch(_last.Span) + 1;
        Reason reason = Check(entry, index);
        if (reason != Reason.Valid)
        {
            return reason;
        }
        _last = entry;
        if (EpochRecord.Decode(entry.Span).PeriodFirstEpoch == index)
        {
            PeriodStart = entry;
        }
        return Reason.Valid;
    }

    private Reason Check(ReadOnlyMemory<byte> entry, ulong index)
    {
        if (entry.Length != EpochRecord.Length)
        {
            return entry.Length < EpochRecord.Length ? Reason.MalformedTruncated : Reason.MalformedTrailing;
        }
        Reason reason = LogVerifier.VerifyRecord(_anchor, entry.Span, []);
        return reason != Reason.Valid ? reason
            : EpochRecord.ReadEpoch(entry.Span) != index ? Reason.RecordEpoch
            : LogVerifier.VerifyRecord(_anchor, entry.Span, _last.Span, PeriodStart.Span);
    }
}
