namespace Optiks.Storage.Tests;

/// <summary>Tests what <see cref="LogReplayTests"/> does not test: that a chain can continue after a refusal.</summary>
public sealed class RecordChainTests(SampleLog sample) : IClassFixture<SampleLog>
{
    [Fact]
    public void A_chain_goes_on_behind_a_gap_without_a_root()
    {
        TestLog log = sample.Log;
        var chain = new RecordChain(log.Anchor, withRoots: true);
        chain.Append(log.Records[0]);
        Assert.Equal(new Refused("Epoch 1 is missing from the database."), chain.Check(log.Records[2]));
        Assert.Equal((1UL, true), (chain.Next, chain.HasRoots));
        Assert.Throws<ArgumentOutOfRangeException>(() => chain.SkipTo(1));
        chain.SkipTo(2);
        foreach (EpochRow row in log.Records[2..])
        {
            Assert.Null(chain.Check(row));
            chain.Append(row);
            Assert.False(chain.HasRoots);
        }
        Assert.Equal(4UL, chain.Next);
        Assert.Throws<ArgumentOutOfRangeException>(() => chain.Append(log.Records[3]));
    }
}
