using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// PeriodsExchange asks where periods began and ended, from one on (docs/spec/periods.md section 4). It alone leads what is kept into a later period; what it learns are the records of the last epochs.
/// </summary>
internal sealed class PeriodsExchange : VerifiedExchange<IReadOnlyList<byte[]>>
{
    /// <summary>LastOfPage is how many periods after the first one a page ends, each with two bounds.</summary>
    public const ulong LastOfPage = (ProtocolLimits.MaxPeriodBounds / 2) - 1;

    private readonly ulong _from;

    /// <param name="from">The first period; that of the kept record or an earlier one.</param>
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

    // Where periods begin is the log's own word, which its records keep to.
    public override IEnumerable<Believed> Shown(IReadOnlyList<byte[]> learnt) => [];

    public override Checked<IReadOnlyList<byte[]>> Verify(VerifierContext context, ClientState seen, ReadOnlyMemory<byte> answer)
    {
        PeriodsVerdict verdict = Verifier.Periods(context with { NowMs = NowFor(answer, context.NowMs) }, _from, answer.Span);
        if (verdict.Reason != Reason.Valid)
        {
            return new(verdict.Reason, null, null, null);
        }
        byte[][] ends = [.. verdict.Ends.Select(end => answer[end].ToArray())];
        // Records of one checkpoint that contradict those kept: a log with two ends of one period, each of which is well formed by itself.
        return PeriodEnds.TryAdd(seen, ends, out _) ? new(Reason.Valid, verdict.Head!, ends, null) : new(Reason.PeriodBounds, null, null, null);
    }

    // The record with which a page ends may be old: the answer that the client asks for next has a fresh one.
    private ulong NowFor(ReadOnlyMemory<byte> answer, ulong now) =>
        answer.Length >= EpochRecord.Length && EpochRecord.PeriodOf(answer.Span) == _from + LastOfPage ? Math.Min(EpochRecord.Decode(answer.Span[..EpochRecord.Length]).TimeMs, now) : now;

    public override ClientState? Remember(ClientState seen, ClientState current, VerifiedHead head, IReadOnlyList<byte[]> learnt) =>
        PeriodEnds.TryAdd(current, learnt, out ClientState next) ? next : null;
}
