using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Asks at which epochs the given period and all later periods began and ended (docs/spec/periods.md section 4). Only this exchange
/// advances the state into a later period. It learns the records of the periods' last epochs.
/// </summary>
internal sealed class PeriodsExchange : VerifiedExchange<IReadOnlyList<byte[]>>
{
    /// <summary>A page has at most this number of periods after its first period. Each period has two bounds.</summary>
    public const ulong LastOfPage = (ProtocolLimits.MaxPeriodBounds / 2) - 1;

    private readonly ulong _from;

    /// <param name="from">The first period in question: the period of the kept record, or an earlier period.</param>
    public PeriodsExchange(ulong from)
    {
        _from = from;
    }

    public override string Path => "/v1/periods";

    public override string Query => $"&from={_from}";

    public override string MediaType => MediaTypes.Periods;

    public override int MaxLength => 1 << 20;

    public override bool NeedsAuthorization => false;

    public override bool FollowsPeriods => true;

    public override byte[]? Body(ClientState seen) => null;

    // The log's later records must agree with these bounds of periods, so auditors need not cover this answer.
    public override IEnumerable<Believed> Shown(IReadOnlyList<byte[]> learnt) => [];

    public override Checked<IReadOnlyList<byte[]>> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        PeriodsVerdict verdict = Verifier.Periods(context with { NowMs = NowFor(answer, context.NowMs) }, _from, answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, null);
        }
        byte[][] ends = [.. verdict.Ends.Select(end => answer[end].ToArray())];
        // Refuse the answer if one of its records differs from the kept record of the same period's end, because a period cannot have two
        // ends.
        return PeriodEnds.TryAdd(seen, ends, out _)
            ? new(Reason.Valid, verdict.Head!, ends, null)
            : new(Reason.PeriodBounds, null, null, null);
    }

    // Returns the time that the verifier takes as the present when it checks the age of the answer's record. The record of a full page may
    // be old, so for a full page the result is at most the record's own time. The client then requests the next page, whose record is
    // recent.
    private ulong NowFor(ReadOnlyMemory<byte> answer, ulong now) =>
        answer.Length >= EpochRecord.Length && EpochRecord.ReadPeriod(answer.Span) == _from + LastOfPage
            ? Math.Min(EpochRecord.Decode(answer.Span[..EpochRecord.Length]).TimeMs, now)
            : now;

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, IReadOnlyList<byte[]> learnt) =>
        PeriodEnds.TryAdd(current, learnt, out ClientState next) ? next : null;
}
