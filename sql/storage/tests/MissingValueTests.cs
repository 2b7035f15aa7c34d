using Optiks.Native;
using Optiks.Secrets;

namespace Optiks.Storage.Tests;

/// <summary>Tests that a replay refuses a database that has lost values, and accepts one that lacks only values that an epoch
/// erased.</summary>
public sealed class MissingValueTests : IAsyncLifetime
{
    private TestLog? _log;
    private EditedStore? _store;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private TestLog Log => _log!;

    private EditedStore Store => _store!;

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishAsync(("alice", "one"), ("bob", "his"));
        await Log.PublishAsync(("alice", "two"));
        await Log.EraseAsync(("alice", 1));
        _store = new EditedStore(await SampleLog.OpenAsync(Log));
    }

    public async ValueTask DisposeAsync()
    {
        await Store.DisposeAsync();
        await Log.DisposeAsync();
    }

    [Theory]
    [InlineData(KeptValues.All, true)]
    [InlineData(KeptValues.None, false)]
    [InlineData(KeptValues.Lists, false)]
    public async Task A_load_refuses_a_value_that_nobody_erased(KeptValues kept, bool isRead)
    {
        using (LogReplay whole = Replay(kept))
        {
            Assert.Null(await whole.LoadAsync(3, Cancel));
        }
        Lose(epoch: 2);
        using LogReplay replay = Replay(kept);
        Refused? refused = await replay.LoadAsync(3, Cancel);
        Assert.Equal(isRead, refused is not null);
        if (refused is not null)
        {
            Assert.Contains("no epoch erased them", refused.Why, StringComparison.Ordinal);
            Assert.False(refused.IsSnapshot);
        }
    }

    [Fact]
    public async Task A_step_refuses_it_and_the_last_epoch_stays()
    {
        using LogReplay replay = Replay();
        Assert.Null(await replay.LoadAsync(0, Cancel));
        Lose(epoch: 2);
        Assert.Contains("no epoch erased them", (await replay.FollowAsync(3, beforeCommit: null, Cancel))!.Why, StringComparison.Ordinal);
        Assert.Equal(1UL, replay.Last.Epoch);
        Assert.Contains("no epoch erased them", (await replay.FollowAsync(3, beforeCommit: null, Cancel))!.Why, StringComparison.Ordinal);
        Store.Leaves = batch => batch;
        Assert.Null(await replay.FollowAsync(3, beforeCommit: null, Cancel));
        Assert.Equal(3UL, replay.Last.Epoch);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_switch_refuses_a_copy_that_lost_its_value(bool isLoaded)
    {
        await Log.NextPeriodAsync();
        Store.Copies = copies => copies with { Rows = copies.Rows.ToArray().Select(WithoutValue).ToArray() };
        using (LogReplay replay = Replay(period: isLoaded ? 1UL : 0))
        {
            Refused? refused = await replay.LoadAsync(isLoaded ? 4UL : 3, Cancel)
                ?? await replay.FollowAsync(4, beforeCommit: null, Cancel);
            Assert.Contains("no epoch erased them", refused!.Why, StringComparison.Ordinal);
        }
        Store.Copies = copies => copies;
        using LogReplay whole = Replay(period: isLoaded ? 1UL : 0);
        Assert.Null(await whole.LoadAsync(4, Cancel));
        Assert.Equal(1UL, whole.Trees.Period);
    }

    [Fact]
    public async Task A_copy_that_was_erased_with_its_source_is_missing_for_a_reason()
    {
        await Log.NextPeriodAsync();
        await Log.PublishAsync(("alice", "three"));
        await Log.EraseAsync(("alice", 1));
        using LogReplay replay = Replay(period: 1);
        Assert.Null(await replay.LoadAsync(6, Cancel));
    }

    private static LeafRow WithoutValue(LeafRow row)
    {
        row.ValueOffset = LeafRow.NoValue;
        row.ValueLength = 0;
        row.Opening = new byte[row.Opening.Length];
        return row;
    }

    private void Lose(ulong epoch) =>
        Store.Leaves = batch =>
            batch with { Rows = batch.Rows.ToArray().Select(row => row.Epoch == epoch ? WithoutValue(row) : row).ToArray() };

    private LogReplay Replay(KeptValues kept = KeptValues.All, ulong period = 0)
    {
        LogTrees Trees(ulong number)
        {
            using var source = new FileSecretSource(Log.Folder, KeyRing.Load(Log.Folder));
            using DirectorySecrets first = source.UnwrapPeriod(Log.WrappedSecrets.Span, 0, Log.Anchor.LogId.Span);
            PeriodRow row = Store.ReadPeriodsAsync(Cancel).GetAwaiter().GetResult().Single(stored => stored.Period == number);
            using DirectorySecrets secrets = source.UnwrapPeriod(row.WrappedSecrets.Span, number, Log.Anchor.LogId.Span);
            return LogTrees.Create(
                new DirectoryOptions
                {
                    Secrets = secrets,
                    Values = kept,
                    Period = number,
                    MaxValueLength = Log.Anchor.Configuration.MaxValueLength,
                }, snapshot: null);
        }
        return new LogReplay(Store, Log.Anchor, Trees(period), LogRoots.Checked) { NextTrees = row => Trees(row.Period) };
    }
}
