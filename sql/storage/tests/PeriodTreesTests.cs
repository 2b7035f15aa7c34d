using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage.Tests;

/// <summary>
/// Tests the trees of the next period. These trees are filled while the current period's trees are in use, and replace them at the switch.
/// The replay refuses them if they contradict the record.
/// </summary>
public sealed class PeriodTreesTests : IDisposable
{
    private const ulong First = 2;
    private const uint MaxValueLength = 1000;

    private readonly DirectorySecrets _secrets = DirectorySecrets.Generate();
    private readonly DirectorySecrets _nextSecrets;
    private readonly LogTrees _current;
    private readonly LeafRow[] _usernames;

    public PeriodTreesTests()
    {
        _nextSecrets = _secrets.NextPeriod();
        _current = LogTrees.Create(new DirectoryOptions { Secrets = _secrets, MaxValueLength = MaxValueLength }, null);
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (string key in new[] { "alice", "al" })
        {
            keys.Add(Encoding.UTF8.GetBytes(key));
            values.Add("value"u8);
        }
        var rows = new LeafRow[2];
        _current.Directory.Prepare(1, [StructureId.Keys, StructureId.Usernames], keys, values, rows);
        Assert.Null(_current.Load(1, rows, values.Blob));
        Assert.Null(_current.EndLoad(1));
        _usernames = [.. rows.Where(row => row.Structure == StructureId.Usernames)];
    }

    public void Dispose()
    {
        _current.Dispose();
        _secrets.Dispose();
        _nextSecrets.Dispose();
    }

    [Fact]
    public void Trees_with_the_copies_of_a_record_begin_its_period()
    {
        using LogTrees next = Next();
        LeafRow[] copies = Copies(next, out byte[] values);
        Assert.Null(next.LoadCopies(copies, values));
        EpochRecord record = RecordOf(next);

        // This second directory plays the part of another process, which gets the same rows.
        using LogTrees follower = Next();
        Assert.Null(follower.LoadCopies(copies, values));
        Assert.Null(follower.LoadCopies(copies, values));
        Assert.True(follower.TryStartPeriod(record, [], [], withProofs: false, out StagedEpoch? staged, out _));
        staged.Commit();
        staged.Dispose();
        Assert.Null(follower.Match(record));
        Assert.Equal((1UL, First), (follower.Directory.Stats.Period, follower.Directory.Stats.PeriodFirstEpoch));
        Assert.Equal(["value"],
            follower.Directory.NewestValues(StructureId.Keys, Key("alice")).Select(value => Encoding.UTF8.GetString(value!.Value.Span)));
    }

    [Fact]
    public void Trees_without_a_copy_are_not_those_of_the_record_and_stay_as_they_are()
    {
        using LogTrees next = Next();
        LeafRow[] copies = Copies(next, out byte[] values);
        Assert.Null(next.LoadCopies(copies, values));
        EpochRecord record = RecordOf(next);

        using LogTrees follower = Next();
        Assert.False(follower.TryStartPeriod(record, [], [], withProofs: false, out _, out Refused? refused));
        Assert.Equal("The leaves up to epoch 2 do not give its record's root and count of structure 3.", refused.Why);
        Assert.False(follower.TryStartPeriod(record with { Period = 2 }, [], [], withProofs: false, out _, out refused));
        Assert.Equal("The record of epoch 2 does not begin period 1.", refused.Why);
        Assert.False(follower.TryStartPeriod(record with { PeriodFirstEpoch = 1 }, [], [], withProofs: false, out _, out refused));
        Assert.Equal("The record of epoch 2 does not begin period 1.", refused.Why);
        // In this positive control, the trees have the copy, so they match the record.
        Assert.Null(follower.LoadCopies(copies, values));
        Assert.True(follower.TryStartPeriod(record, [], [], withProofs: false, out StagedEpoch? staged, out _));
        staged.Dispose();
    }

    [Fact]
    public void Copies_that_contradict_each_other_are_refused()
    {
        using LogTrees next = Next();
        LeafRow[] copies = Copies(next, out byte[] values);
        LeafRow[] changed = [.. copies];
        changed[0].Epoch = 1;
        Assert.Equal("The copies of period 1 contradict each other (", next.LoadCopies(changed, values)!.Why[..46]);
        Assert.Equal("The leaves up to epoch 2 contradict each other (", next.Load(2, [copies[0] with { Epoch = 2 }], values)!.Why[..48]);
        Assert.Null(next.LoadCopies(copies, values));
    }

    private static ByteStrings Key(string key)
    {
        var keys = new ByteStrings();
        keys.Add(Encoding.UTF8.GetBytes(key));
        return keys;
    }

    // Returns trees of the next period that have the names of the current trees' epoch, but no copies.
    private LogTrees Next()
    {
        var next = LogTrees.Create(new DirectoryOptions { Secrets = _nextSecrets, MaxValueLength = MaxValueLength, Period = 1 }, null);
        Assert.Null(next.Load(1, _usernames, "valuevalue"u8));
        Assert.Null(next.EndLoad(1));
        return next;
    }

    private static LeafRow[] Copies(LogTrees next, out byte[] octets)
    {
        using ByteStrings keys = Key("alice");
        using ByteStrings values = Key("value");
        var copies = new LeafRow[1];
        next.Directory.PrepareCopies([StructureId.Keys], keys, [1], values, copies);
        octets = values.Blob.ToArray();
        return copies;
    }

    // Returns a record for the first epoch of the trees' period. Only the states of the structures in it are right, because the test
    // compares nothing else.
    private static EpochRecord RecordOf(LogTrees next)
    {
        using StagedEpoch staged = next.Directory.StartPeriod(First, [], [], withProofs: false);
        return new EpochRecord
        {
            LogId = new byte[32],
            Epoch = First,
            Period = 1,
            PeriodFirstEpoch = First,
            TimeMs = 1,
            Structures = staged.States(),
            Previous = new byte[32],
        };
    }
}
