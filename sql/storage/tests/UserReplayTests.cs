using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage.Tests;

/// <summary>Tests the replay of a log with leaves of all structures. The replays keep all values, only the device lists, or no
/// values.</summary>
public sealed class UserReplayTests : IAsyncLifetime
{
    private const ulong Newest = 3;

    private readonly string _folder = Directory.CreateTempSubdirectory("optiks-replay-").FullName;
    private TestLog? _log;
    private IFollowStore? _store;
    private DirectorySecrets? _secrets;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private TestLog Log => _log!;

    private string Snapshot => Path.Combine(_folder, "snapshot");

    public async ValueTask InitializeAsync()
    {
        _log = await TestLog.CreateAsync();
        await Log.PublishItemsAsync([Username("al", "alice"), List("alice", "a", "b"), Key("a", "1"), Key("b", "2"), Key("plain", "3")]);
        await Log.PublishItemsAsync([List("alice", "b"), Username("bo", "bob"), List("bob"), Key("b", "4")]);
        await Log.PublishItemsAsync([TestLog.Item(StructureId.Decommissioned, "bob", [1]), List("alice", "b", "c"), Key("c", "5")]);
        _store = await SampleLog.OpenAsync(Log);
        using var source = new FileSecretSource(Log.Folder, KeyRing.Load(Log.Folder));
        _secrets = source.UnwrapPeriod(Log.WrappedSecrets.Span, 0, Log.Anchor.LogId.Span);
    }

    public async ValueTask DisposeAsync()
    {
        _secrets!.Dispose();
        await _store!.DisposeAsync();
        await Log.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(KeptValues.All, false)]
    [InlineData(KeptValues.Lists, false)]
    [InlineData(KeptValues.None, false)]
    [InlineData(KeptValues.Lists, true)]
    public async Task Epochs_are_loaded_and_followed_with_the_roots_of_their_records(KeptValues values, bool isStored)
    {
        for (ulong loaded = 0; loaded <= Newest; loaded++)
        {
            using LogReplay replay = ReplayOf(LogTrees.Create(Options(values, isStored), Snapshot));
            Assert.Null(await replay.LoadAsync(loaded, Cancel));
            Assert.Null(loaded < Newest ? await replay.FollowAsync(Newest, beforeCommit: null, Cancel) : null);
            Assert.Null(replay.Trees.Match(EpochRecord.Decode(Log.Records[(int)Newest].Record.Span)));
            if (values != KeptValues.None)
            {
                AssertLists(replay);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Lists_are_there_again_from_a_snapshot_and_the_epochs_since(bool isStored)
    {
        using (LogReplay replay = ReplayOf(LogTrees.Create(Options(KeptValues.Lists, isStored), Snapshot)))
        {
            Assert.Null(await replay.LoadAsync(2, Cancel));
            if (!isStored)
            {
                using DirectoryView view = replay.Trees.Directory.TakeView();
                view.Save(Snapshot);
            }
        }
        using LogReplay restored = ReplayOf(LogTrees.TryRestore(Options(KeptValues.Lists, isStored), Snapshot, out Refused? refused)!);
        Assert.Null(refused);
        Assert.Equal(2ul, restored.RestoredEpoch);
        Assert.Null(await restored.LoadAsync(Newest, Cancel));
        AssertLists(restored);
    }

    [Theory]
    [InlineData(KeptValues.None, false)]
    [InlineData(KeptValues.None, true)]
    [InlineData(KeptValues.All, false)]
    [InlineData(KeptValues.All, true)]
    public async Task A_snapshot_with_other_values_is_refused(KeptValues values, bool isStored)
    {
        using (LogReplay replay = ReplayOf(LogTrees.Create(Options(values, isStored), Snapshot)))
        {
            Assert.Null(await replay.LoadAsync(Newest, Cancel));
            if (!isStored)
            {
                using DirectoryView view = replay.Trees.Directory.TakeView();
                view.Save(Snapshot);
            }
        }
        Assert.Null(LogTrees.TryRestore(Options(KeptValues.Lists, isStored), Snapshot, out Refused? refused));
        Assert.True(refused!.IsSnapshot);
        using LogTrees? same = LogTrees.TryRestore(Options(values, isStored), Snapshot, out refused);
        Assert.Null(refused);
        Assert.NotNull(same);
    }

    private static AcceptItem Username(string name, string user) => TestLog.Item(StructureId.Usernames, name, Encoding.UTF8.GetBytes(user));

    private static AcceptItem List(string user, params string[] devices) =>
        TestLog.Item(StructureId.Devices, user,
            DeviceList.Encode([.. devices.Select(device => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(device))]));

    private static AcceptItem Key(string device, string value) => TestLog.Item(StructureId.Keys, device, Encoding.UTF8.GetBytes(value));

    private static void AssertLists(LogReplay replay)
    {
        using var users = new ByteStrings();
        foreach (byte[] user in (byte[][])["alice"u8.ToArray(), "bob"u8.ToArray(), "carol"u8.ToArray()])
        {
            users.Add(user);
        }
        ReadOnlyMemory<byte>?[] lists = replay.Trees.Directory.NewestValues(StructureId.Devices, users);
        Assert.Equal(["b", "c"], DeviceList.Decode(lists[0]!.Value).Select(device => Encoding.UTF8.GetString(device.Span)));
        Assert.Empty(DeviceList.Decode(lists[1]!.Value));
        Assert.Null(lists[2]);
    }

    private LogReplay ReplayOf(LogTrees trees) => new(_store!, Log.Anchor, trees, LogRoots.Computed);

    private DirectoryOptions Options(KeptValues values, bool isStored) => new()
    {
        Secrets = _secrets!,
        LeafLogPath = Path.Combine(_folder, "leaves"),
        MaxValueLength = Log.Anchor.Configuration.MaxValueLength,
        Values = values,
        NodeStorePath = isStored ? Path.Combine(_folder, "nodes") : null,
        NodeCacheBytes = 1 << 20,
    };
}
