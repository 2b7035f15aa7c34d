using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Tests which answers a client keeps until auditors cover their epochs (docs/spec/cosigners.md).</summary>
public sealed class BeliefsTests
{
    [Fact]
    public void What_is_kept_unaudited_is_bounded_and_its_oldest_stays()
    {
        using var cosigners = new TestCosigners();
        TrustPolicy policy = cosigners.Anchor(1, TimeSpan.FromMinutes(10), ("a", 0)).Policy;
        using var log = new FixtureLog();
        var state = new ClientState { LogId = "x" };
        DateTimeOffset start = log.Now;
        for (int i = 0; i < Beliefs.Max + 5; i++)
        {
            state = Beliefs.Update(state, policy, [new Believed($"{i}", 1, null)], log.Record(0), 0, start.AddSeconds(i));
        }
        Assert.Equal(Beliefs.Max, state.Unaudited.Length);
        Assert.Equal(("0", start.ToUnixTimeMilliseconds()), (state.Unaudited[0].Key, state.Unaudited[0].BelievedAtMs));
        Assert.Equal((null, start.AddSeconds(Beliefs.Max + 4).ToUnixTimeMilliseconds()),
            (state.Unaudited[^1].Key, state.Unaudited[^1].BelievedAtMs));
        var audited = state.Cosigners.Add(cosigners.Key("a").ToString(), new CosignerState { Size = 1, Root = [], Checkpoint = [] });
        Assert.Empty(Beliefs.Update(state with { Cosigners = audited }, policy, [], log.Record(0), 0, start).Unaudited);
    }
}
