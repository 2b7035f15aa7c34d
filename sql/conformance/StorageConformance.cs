using System.Security.Cryptography;
using System.Text;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>The base class of the suite's tests. Gives each test a migrated database of its own, and methods to fill it.</summary>
public abstract class StorageConformance : IAsyncLifetime
{
    private static readonly ItemResult.Erased s_erased = new();

    private readonly List<IAsyncDisposable> _stores = [];

    protected StorageConformance(IStorageFixture fixture) => Fixture = fixture;

    protected static CancellationToken Cancel => TestContext.Current.CancellationToken;

    protected IStorageFixture Fixture { get; }

    protected string ConnectionString { get; private set; } = "";

    protected IAcceptStore Accept { get; private set; } = null!;

    protected PipelineStore Pipeline { get; private set; } = null!;

    public async ValueTask InitializeAsync()
    {
        ConnectionString = await Fixture.CreateMigratedAsync(Cancel);
        Accept = await OpenAcceptAsync();
        Pipeline = await OpenPipelineAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable store in _stores)
        {
            await store.DisposeAsync();
        }
        await Fixture.DropAsync(ConnectionString);
        GC.SuppressFinalize(this);
    }

    protected async Task<IAcceptStore> OpenAcceptAsync() => Keep(await Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel));

    protected async Task<PipelineStore> OpenPipelineAsync() => Keep(await Fixture.Provider.OpenPipelineAsync(ConnectionString, Cancel));

    protected async Task<IFollowStore> OpenFollowAsync() => Keep(await Fixture.Provider.OpenFollowAsync(ConnectionString, Cancel));

    protected static byte[] Octets(string text) => Encoding.UTF8.GetBytes(text);

    protected static AcceptItem Item(string key, string value = "value", ExpectedVersion? expected = null) =>
        new(StructureId.Keys, Octets(key), Octets(value), expected);

    /// <summary>Creates a request whose new id has the database's current time, and whose body hash covers the contents of the
    /// items.</summary>
    protected async Task<AcceptRequest> RequestAsync(params AcceptItem[] items) =>
        Request(Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel)), items);

    /// <summary>
    /// Creates several requests, for which it reads the database's clock only once. If it read the clock for each request at the same time,
    /// it would open as many connections as the server allows.
    /// </summary>
    protected async Task<AcceptRequest[]> RequestsAsync(int count, Func<int, AcceptItem[]> items)
    {
        DateTimeOffset now = await Accept.ReadClockAsync(Cancel);
        return [.. Enumerable.Range(0, count).Select(i => Request(Guid.CreateVersion7(now), items(i)))];
    }

    /// <summary>Creates units with one request each.</summary>
    protected async Task<AcceptUnit[]> UnitsAsync(int count, Func<int, AcceptItem[]> items) =>
        [.. (await RequestsAsync(count, items)).Select(request => new AcceptUnit([request]))];

    protected static AcceptRequest Request(Guid id, params AcceptItem[] items)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (AcceptItem item in items)
        {
            hash.AppendData(item.Key.Span);
            hash.AppendData(item.Value.Span);
        }
        return new AcceptRequest(id, hash.GetHashAndReset(), items);
    }

    /// <summary>Accepts one request and returns its id.</summary>
    protected async Task<Guid> AcceptOneAsync(params AcceptItem[] items)
    {
        AcceptRequest request = await RequestAsync(items);
        AcceptResult result = await TryAcceptAsync(request);
        Assert.Equal(AcceptStatus.Accepted, result.Status);
        return request.RequestId;
    }

    /// <summary>Sends one unit of requests and returns its result.</summary>
    protected async Task<AcceptResult> TryAcceptAsync(params AcceptRequest[] requests) =>
        Assert.Single(await Accept.AcceptAsync([new AcceptUnit(requests)], Cancel));

    /// <summary>
    /// Repeats the work until the database answers, as callers do. Also repeats it if a slow server refused it because it waited too long
    /// for other transactions.
    /// </summary>
    protected static async Task<T> RepeatAsync<T>(Func<Task<T>> work)
    {
        while (true)
        {
            try
            {
                return await work();
            }
            catch (StorageUnavailableException)
            {
                await Task.Delay(20, Cancel);
            }
        }
    }

    protected async Task<RequestState?> StateAsync(Guid requestId) => (await Accept.ReadStatusAsync(requestId, Cancel))?.State;

    /// <summary>Takes the lease, and makes and publishes epoch 0.</summary>
    protected async Task<Lease> StartLogAsync()
    {
        Lease lease = await LeaseAsync(Pipeline, "first");
        await Pipeline.CreateGenesisAsync(lease, Epoch(0), PeriodRow.Genesis(Octets("wrapped"), Octets("configuration")), Cancel);
        await SignAndPublishAsync(lease, 0);
        return lease;
    }

    protected static async Task<Lease> LeaseAsync(PipelineStore store, string holder)
    {
        Lease? lease = await store.AcquireLeaseAsync(holder, TimeSpan.FromMinutes(1), Cancel);
        Assert.NotNull(lease);
        return lease;
    }

    protected async Task SignAndPublishAsync(Lease lease, ulong epoch)
    {
        await Pipeline.StoreCheckpointAsync(lease, epoch, Epoch(epoch).RecordHash, Octets($"checkpoint {epoch}"), Cancel);
        await Pipeline.PublishAsync(lease, epoch, Cancel);
    }

    /// <summary>Commits the next epoch with all pending updates that it may take.</summary>
    protected async Task<CommitResult> CommitPendingAsync(Lease lease, ulong epoch, int maxItems = 100_000) =>
        await Pipeline.CommitEpochAsync(lease, Commit(epoch, await Pipeline.ReadPendingAsync(maxItems, long.MaxValue, Cancel)), Cancel);

    protected async Task PublishPendingAsync(Lease lease, ulong epoch)
    {
        Assert.Equal(CommitResult.Committed, await CommitPendingAsync(lease, epoch));
        await SignAndPublishAsync(lease, epoch);
    }

    /// <summary>Creates an epoch with a record that the tests can recognize. Each variant gives another record for the same
    /// epoch.</summary>
    protected static EpochRow Epoch(ulong epoch, byte variant = 0)
    {
        byte[] record = new byte[EpochRecord.Length];
        BitConverter.TryWriteBytes(record, epoch);
        record[^1] = variant;
        return new EpochRow(epoch, record, SHA256.HashData(record), default);
    }

    /// <summary>
    /// Creates the commit of an epoch that publishes these requests. Makes no leaves for refused requests, or for items that never get a
    /// leaf.
    /// </summary>
    protected static EpochCommit Commit(
        ulong epoch, IReadOnlyList<PendingRequest> requests, Func<PendingRequest, Refusal?>? refuse = null,
        Func<PendingRequest, int, ItemResult?>? leaveOut = null)
    {
        var updates = new List<(PendingRequest Request, int Item, byte[] Label)>();
        var outcomes = new List<Outcome>();
        foreach (PendingRequest request in requests)
        {
            ItemResult? refused = refuse?.Invoke(request) is { } refusal ? new ItemResult.Refused(refusal) : null;
            for (int i = 0; i < request.Items.Count; i++)
            {
                if ((refused ?? leaveOut?.Invoke(request, i)) is { } without)
                {
                    outcomes.Add(new Outcome(request.RequestId, request.Sequence, i, without) { BodyHash = request.BodyHash });
                    continue;
                }
                updates.Add((request, i, SHA256.HashData([.. request.Items[i].Key.Span, .. BitConverter.GetBytes(epoch)])));
            }
        }
        updates.Sort((a, b) => (a.Request.Items[a.Item].Structure, a.Label) is var (s, l) && s != b.Request.Items[b.Item].Structure
            ? s.CompareTo(b.Request.Items[b.Item].Structure)
            : l.AsSpan().SequenceCompareTo(b.Label));
        var rows = new LeafRow[updates.Count];
        var origins = new LeafOrigin[updates.Count];
        var keyEnds = new int[updates.Count];
        using var values = new MemoryStream();
        using var keys = new MemoryStream();
        for (int i = 0; i < rows.Length; i++)
        {
            (PendingRequest request, int item, byte[] label) = updates[i];
            AcceptItem update = request.Items[item];
            rows[i] = new LeafRow
            {
                Epoch = epoch,
                Structure = update.Structure,
                Version = epoch,
                Label = label,
                Commitment = SHA256.HashData(label),
                Tag = label.AsSpan(0, 16),
                Opening = label.AsSpan(16),
                ValueOffset = (ulong)values.Length,
                ValueLength = (uint)update.Value.Length,
            };
            values.Write(update.Value.Span);
            keys.Write(update.Key.Span);
            keyEnds[i] = (int)keys.Length;
            origins[i] = new LeafOrigin(request.RequestId, item);
            outcomes.Add(new Outcome(request.RequestId, request.Sequence, item, new ItemResult.Leaf(i)) { BodyHash = request.BodyHash });
        }
        return new EpochCommit(Epoch(epoch), Epoch(epoch - 1).RecordHash, 0,
            new LeafBatch(rows, values.ToArray(), keys.ToArray(), keyEnds, origins), outcomes);
    }

    /// <summary>Copies all rows of a small database into an empty database, and commits the copy if asked to.</summary>
    protected static async Task CopyAsync(MaintenanceStore source, MaintenanceStore target, bool commit)
    {
        await using ConsistentRead read = await source.OpenConsistentReadAsync(Cancel);
        await using StorageImport import = await target.BeginImportAsync(Cancel);
        await import.AddPeriodsAsync(await read.ReadPeriodsAsync(Cancel), Cancel);
        await import.AddEpochsAsync(await read.ReadEpochsAsync(0, 100, Cancel), Cancel);
        await import.AddLeavesAsync(await read.ReadLeavesAsync(0, 0, 100, Cancel), Cancel);
        await import.AddRequestsAsync(await read.ReadRequestsAsync(0, 100, Cancel), Cancel);
        await import.AddPendingAsync(await read.ReadPendingAsync(0, long.MaxValue, Cancel), Cancel);
        await import.AddOutcomesAsync(await read.ReadOutcomesAsync(0, long.MaxValue, Cancel), Cancel);
        await import.AddErasuresAsync(await read.ReadErasuresAsync(0, 0, 100, Cancel), Cancel);
        await import.AddCopiesAsync(await read.ReadCopiesAsync(0, 0, 100, Cancel), Cancel);
        if (commit)
        {
            await import.CommitAsync(await read.ReadHeadAsync(Cancel), Cancel);
        }
    }

    protected async Task PublishAsync(Lease lease, ulong epoch, params AcceptItem[] items)
    {
        if (items.Length > 0)
        {
            _ = await AcceptOneAsync(items);
        }
        await PublishPendingAsync(lease, epoch);
    }

    /// <summary>Computes the label of a key's leaf in an epoch, as <see cref="Commit"/> does.</summary>
    protected static byte[] LabelOf(string key, ulong epoch) => SHA256.HashData([.. Octets(key), .. BitConverter.GetBytes(epoch)]);

    /// <summary>Finds the leaves of the given keys of the structure <c>keys</c> in the given epochs.</summary>
    protected Task<IReadOnlyList<LeafPlace?>> FindAsync(params (ulong Epoch, string Key)[] leaves) =>
        Pipeline.FindLeavesAsync(
            [.. leaves.Select(leaf => new LeafName(leaf.Epoch, StructureId.Keys, LabelOf(leaf.Key, leaf.Epoch)))], Cancel);

    /// <summary>Accepts a request to erase a value of a key, and publishes the epoch that decides the request and erases the given
    /// leaves.</summary>
    protected async Task<Guid> EraseAsync(Lease lease, ulong epoch, string key, params (ulong Epoch, string Key)[] leaves)
    {
        (EpochCommit commit, Guid request) = await ErasingAsync(epoch, key, leaves);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));
        await SignAndPublishAsync(lease, epoch);
        return request;
    }

    /// <summary>Accepts a request to erase a value of a key, and returns the commit of the epoch that decides the request and erases the
    /// given leaves.</summary>
    protected async Task<(EpochCommit Commit, Guid Request)> ErasingAsync(
        ulong epoch, string key, params (ulong Epoch, string Key)[] leaves)
    {
        Guid request = await AcceptOneAsync(new ErasureOrder(StructureId.Keys, 1, 1).ToItem(Octets(key)));
        IReadOnlyList<PendingRequest> pending = await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel);
        Assert.Equal([request], pending.Where(one => one.Kind == RequestKind.Erasure).Select(one => one.RequestId));
        IReadOnlyList<LeafPlace?> places = await FindAsync(leaves);
        EpochCommit commit = Commit(epoch, pending, leaveOut: (one, _) => one.Kind == RequestKind.Erasure ? s_erased : null);
        return (commit with
        {
            Erasures =
            [.. places.Select(place => new Erasure(place!.Epoch, place.Ordinal, new LeafOrigin(request, 0)))]
        }, request);
    }

    /// <summary>
    /// Creates copies of the leaves that the given epochs inserted for the given keys, with their values. If an epoch is 0, creates a row
    /// that removes the key's copy.
    /// </summary>
    protected async Task<CopyBatch> CopiesAsync(ulong period, int first, params (string Key, ulong Epoch)[] copied)
    {
        var rows = new LeafRow[copied.Length];
        var sources = new CopySource[copied.Length];
        int[] keyEnds = new int[copied.Length];
        using var values = new MemoryStream();
        using var keys = new MemoryStream();
        for (int i = 0; i < copied.Length; i++)
        {
            (string key, ulong epoch) = copied[i];
            byte[] label = LabelOf(key, period << 32);
            rows[i] = new LeafRow
            {
                Structure = StructureId.Keys,
                Label = label,
                Commitment = new byte[32],
                Tag = label.AsSpan(16),
                ValueOffset = LeafRow.NoValue,
            };
            if (epoch > 0)
            {
                (StructureId structure, int ordinal, byte[] value) = await LeafAsync(key, epoch);
                rows[i].Structure = structure;
                rows[i].Version = 1;
                rows[i].Commitment = SHA256.HashData([.. label, (byte)i]);
                rows[i].Opening = label.AsSpan(0, 16);
                rows[i].ValueOffset = (ulong)values.Length;
                rows[i].ValueLength = (uint)value.Length;
                values.Write(value);
                keys.Write(Octets(key));
                sources[i] = new CopySource(epoch, epoch, ordinal);
            }
            keyEnds[i] = (int)keys.Length;
        }
        return new CopyBatch(period, first, rows, sources, values.ToArray(), keys.ToArray(), keyEnds);
    }

    protected static void AssertSameCopies(CopyBatch expected, CopyBatch actual)
    {
        Assert.Equal((expected.Period, expected.First, expected.Rows.Length), (actual.Period, actual.First, actual.Rows.Length));
        Assert.Equal(expected.Sources.ToArray(), actual.Sources.ToArray());
        for (int i = 0; i < expected.Rows.Length; i++)
        {
            LeafRow e = expected.Rows.Span[i];
            LeafRow a = actual.Rows.Span[i];
            bool hasValue = e.ValueOffset != LeafRow.NoValue;
            Assert.Equal((0UL, e.Structure, e.Version, hasValue), (a.Epoch, a.Structure, a.Version, a.ValueOffset != LeafRow.NoValue));
            Assert.True(e.Label.SequenceEqual(a.Label) && e.Commitment.SequenceEqual(a.Commitment) && e.Tag.SequenceEqual(a.Tag)
                && e.Opening.SequenceEqual(a.Opening), $"Copy {i} differs.");
            Assert.Equal(expected.Key(i).ToArray(), actual.Key(i).ToArray());
            Assert.Equal(hasValue ? expected.Value(i).ToArray() : [], hasValue ? actual.Value(i).ToArray() : []);
        }
    }

    protected static void AssertSameLeaves(LeafBatch expected, LeafBatch actual)
    {
        Assert.Equal(expected.Rows.Length, actual.Rows.Length);
        Assert.Equal(expected.Origins.ToArray(), actual.Origins.ToArray());
        for (int i = 0; i < expected.Rows.Length; i++)
        {
            LeafRow e = expected.Rows.Span[i];
            LeafRow a = actual.Rows.Span[i];
            Assert.Equal((e.Epoch, e.Structure, e.Version), (a.Epoch, a.Structure, a.Version));
            bool same = e.Label.SequenceEqual(a.Label) && e.Commitment.SequenceEqual(a.Commitment) && e.Tag.SequenceEqual(a.Tag)
                && e.Opening.SequenceEqual(a.Opening)
                && expected.Key(i).Span.SequenceEqual(actual.Key(i).Span) && Value(expected, e).SequenceEqual(Value(actual, a));
            Assert.True(same, $"Leaf {i} differs.");
        }
    }

    private async Task<(StructureId Structure, int Ordinal, byte[] Value)> LeafAsync(string key, ulong epoch)
    {
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(epoch, epoch, 100, LeafColumns.All, Cancel))
        {
            for (int i = 0; i < batch.Rows.Length; i++)
            {
                if (batch.Key(i).Span.SequenceEqual(Octets(key)))
                {
                    return (batch.Rows.Span[i].Structure, i, Value(batch, batch.Rows.Span[i]).ToArray());
                }
            }
        }
        throw new InvalidOperationException($"Epoch {epoch} has no leaf of {key}.");
    }

    private static ReadOnlySpan<byte> Value(LeafBatch leaves, LeafRow row) =>
        leaves.Values.Span.Slice((int)row.ValueOffset, (int)row.ValueLength);

    private T Keep<T>(T store)
        where T : IAsyncDisposable
    {
        _stores.Add(store);
        return store;
    }
}
