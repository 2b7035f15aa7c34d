using Optiks.Protocol;

namespace Optiks.Native;

public static unsafe partial class Verifier
{
    /// <summary>Periods checks a PeriodsAnswer from <paramref name="period"/> on, which is the period of the kept record or an earlier one.</summary>
    public static PeriodsVerdict Periods(VerifierContext context, ulong period, ReadOnlySpan<byte> answer)
    {
        ArgumentNullException.ThrowIfNull(context);
        Span<nuint> bounds = stackalloc nuint[ProtocolLimits.MaxPeriodBounds];
        fixed (byte* configuration = context.Anchor.ConfigurationOctets.Span)
        fixed (byte* record = context.KeptRecord.Span)
        fixed (byte* periodRecord = context.KeptPeriodRecord.Span)
        {
            Interop.Context native = MakeContext(context, configuration, record, periodRecord);
            int status = Interop.optiks_verify_periods(
                in native, period, answer, (nuint)answer.Length, out int reason, out Interop.HeadResult head, bounds, (nuint)bounds.Length, out nuint numBounds);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_periods));
            if (reason != 0)
            {
                return new PeriodsVerdict((Reason)reason, null, []);
            }
            var ranges = new Range[numBounds];
            for (int i = 0; i < ranges.Length; i++)
            {
                ranges[i] = Slice(bounds[i], EpochRecord.Length);
            }
            return new PeriodsVerdict(Reason.Valid, Accepted(head), ranges);
        }
    }

    // The hand-overs of an accepted answer, after all of its proofs: the first reason that is not valid, and the key's index.
    private static (int Reason, nuint Failed) Handovers(
        in Interop.HeadResult head, Interop.VersionsResult[] results, ReadOnlySpan<Interop.VersionEntry> entries, ReadOnlySpan<byte> answer, ReadOnlySpan<EndState?> ends)
    {
        for (int i = 0; i < ends.Length; i++)
        {
            ReadOnlySpan<Interop.VersionEntry> mine = entries[..(int)results[i].NumEntries];
            entries = entries[mine.Length..];
            if (ends[i] is { } end && results[i].From == 1 && Handover(in head, mine, answer, end) is not 0 and int reason)
            {
                return (reason, (nuint)i);
            }
        }
        return (0, (nuint)results.Length);
    }

    private static int Handover(in Interop.HeadResult head, ReadOnlySpan<Interop.VersionEntry> entries, ReadOnlySpan<byte> answer, EndState end)
    {
        var native = new Interop.End { Period = end.Period, LastEpoch = end.LastEpoch, Version = end.Version };
        if (end.Version > 0)
        {
            Check.Length(end.ValueSha256.Span, 32);
            end.ValueSha256.Span.CopyTo(native.ValueSha256);
        }
        fixed (Interop.VersionEntry* first = entries)
        {
            int status = Interop.optiks_verify_handover(in head, first, answer, (nuint)answer.Length, in native, out int reason);
            OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_verify_handover));
            return reason;
        }
    }
}
