using System.Collections.Immutable;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests which ends of periods a client keeps (docs/spec/periods.md section 6).</summary>
public sealed class PeriodEndsTests
{
    [Fact]
    public void Two_ends_of_one_period_are_not_both_kept()
    {
        byte[] End(ulong period, ulong epoch) => new EpochRecord
        {
            LogId = FixtureLog.Anchor.LogId,
            Epoch = epoch,
            Period = period,
            PeriodFirstEpoch = 0,
            TimeMs = epoch,
            Structures = [.. Enumerable.Repeat(new StructureState(new byte[32], 0, new byte[32]), 4)],
            Previous = new byte[32],
        }.Encode();

        var state = new ClientState { LogId = "", PeriodEnds = [End(0, 3)], Chains = OwnedFromPeriod0() };
        Assert.True(PeriodEnds.TryAdd(state, [End(0, 3)], out ClientState same));
        Assert.Same(state, same);
        Assert.True(PeriodEnds.TryAdd(state, [End(1, 5)], out ClientState both));
        Assert.Equal(2, both.PeriodEnds.Length);
        Assert.False(PeriodEnds.TryAdd(state, [End(0, 4)], out _));
    }

    private static ImmutableDictionary<StructureKey, Chain> OwnedFromPeriod0() => ImmutableDictionary<StructureKey, Chain>.Empty.Add(
        StructureKey.OfKey("YWxpY2U"), new Chain { Own = new Own { At = new Cursor { Period = 0 } } });
}
