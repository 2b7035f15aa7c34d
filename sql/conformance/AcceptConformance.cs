using Optiks.Protocol;

namespace Optiks.Storage.Conformance;

/// <summary>Tests which requests the store accepts, which requests it refuses, and which status it returns for them.</summary>
public abstract class AcceptConformance : StorageConformance
{
    protected AcceptConformance(IStorageFixture fixture)
        : base(fixture)
    {
    }

    [Fact]
    public async Task An_accepted_request_is_pending_for_every_other_connection()
    {
        Guid id = await AcceptOneAsync(Item("alice"));
        IAcceptStore other = await OpenAcceptAsync();
        RequestStatus? status = await other.ReadStatusAsync(id, Cancel);
        Assert.Equal(RequestState.Pending, status?.State);
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
        Assert.Equal(1, await other.CountPendingAsync(100, Cancel));
        _ = await AcceptOneAsync(Item("bob"));
        Assert.Equal(2, await other.CountPendingAsync(100, Cancel));
        Assert.Equal(1, await other.CountPendingAsync(1, Cancel));
        Assert.Null(await other.ReadStatusAsync(Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel)), Cancel));
    }

    [Fact]
    public async Task The_same_id_with_the_same_content_is_stored_once_and_with_other_content_refused()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        Assert.Equal(new AcceptResult(AcceptStatus.Accepted), await TryAcceptAsync(request));
        Assert.Equal(new AcceptResult(AcceptStatus.Accepted), await TryAcceptAsync(request));
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));

        AcceptRequest fresh = await RequestAsync(Item("bob"));
        AcceptRequest changed = Request(request.RequestId, Item("alice", "another value"));
        Assert.Equal(new AcceptResult(AcceptStatus.RequestIdReused, 1), await TryAcceptAsync(fresh, changed));
        Assert.Null(await StateAsync(fresh.RequestId));
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task One_id_twice_in_a_call_counts_once()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        AcceptRequest changed = Request(request.RequestId, Item("alice", "another value"));
        IReadOnlyList<AcceptResult> results = await Accept.AcceptAsync(
            [new AcceptUnit([request]), new AcceptUnit([request]), new AcceptUnit([changed]), new AcceptUnit([request, request])], Cancel);
        Assert.Equal(
            [AcceptStatus.Accepted, AcceptStatus.Accepted, AcceptStatus.RequestIdReused, AcceptStatus.Accepted],
            results.Select(result => result.Status));
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task One_id_from_many_callers_at_once_is_stored_once()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        AcceptRequest changed = Request(request.RequestId, Item("alice", "another value"));
        IAcceptStore other = await OpenAcceptAsync();
        AcceptResult[] results = (await Task.WhenAll(Enumerable.Range(0, 20).Select(
            i =>
                RepeatAsync(() => (i % 2 == 0 ? Accept : other).AcceptAsync(
                    [new AcceptUnit([i % 4 < 2 ? request : changed])], Cancel))))).Select(one => one[0]).ToArray();
        Assert.Equal(10, results.Count(result => result.Status == AcceptStatus.Accepted));
        Assert.Equal(10, results.Count(result => result.Status == AcceptStatus.RequestIdReused));
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(6, false)]
    [InlineData(-(23 * 60) - 59, true)]
    [InlineData(-(24 * 60) - 1, false)]
    public async Task The_ids_time_is_judged_by_the_databases_clock(int minutes, bool accepted)
    {
        AcceptRequest near = await RequestAsync(Item("near"));
        AcceptRequest request = Request(
            Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel) + TimeSpan.FromMinutes(minutes)), Item("alice"));
        AcceptResult result = await TryAcceptAsync(near, request);
        Assert.Equal(accepted ? new AcceptResult(AcceptStatus.Accepted) : new AcceptResult(AcceptStatus.RequestIdTime, 1), result);
        Assert.Equal(accepted ? 2 : 0, await Pipeline.CountPendingAsync(Cancel));
    }

    [Theory]
    [InlineData(0L)]
    [InlineData(0xE677_D21F_DBFF)] // This is the last millisecond of the year 9999.
    [InlineData(0xE677_D21F_DC00)] // This is the first millisecond after the year 9999.
    [InlineData(0xFFFF_FFFF_FFFF)]
    public async Task An_id_of_any_time_is_refused_alone(long milliseconds)
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        byte[] octets = request.RequestId.ToByteArray(bigEndian: true);
        for (int i = 0; i < 6; i++)
        {
            octets[i] = (byte)(milliseconds >> (40 - (8 * i)));
        }
        AcceptUnit odd = new([Request(new Guid(octets, bigEndian: true), Item("odd"))]);
        Assert.Equal(
            [new AcceptResult(AcceptStatus.Accepted), new AcceptResult(AcceptStatus.RequestIdTime),
                new AcceptResult(AcceptStatus.Accepted)],
            await Accept.AcceptAsync([new AcceptUnit([request]), odd, new AcceptUnit([await RequestAsync(Item("bob"))])], Cancel));
        Assert.Equal(2, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task A_known_id_is_answered_whatever_its_time_and_the_keys_queue()
    {
        AcceptRequest request = await RequestAsync(Item("alice"));
        _ = await TryAcceptAsync(request);
        Guid old = Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel) - TimeSpan.FromHours(40));
        await Fixture.ReplaceRequestIdAsync(ConnectionString, request.RequestId, old);
        for (int i = 1; i < Limits.PendingPerKey; i++)
        {
            _ = await AcceptOneAsync(Item("alice"));
        }
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(Request(old, Item("alice")))).Status);
        Assert.Equal(AcceptStatus.TooManyPending, (await TryAcceptAsync(await RequestAsync(Item("alice")))).Status);
    }

    [Fact]
    public async Task A_key_has_at_most_sixteen_pending_updates_counting_the_call_itself()
    {
        var units = new List<AcceptUnit>();
        for (int i = 0; i < Limits.PendingPerKey - 2; i++)
        {
            units.Add(new AcceptUnit([await RequestAsync(Item("alice"))]));
        }
        AcceptRequest atomic = await RequestAsync(Item("bob"), Item("alice"));
        AcceptUnit tooMany = new(
            [await RequestAsync(Item("carol")), await RequestAsync(Item("alice")), atomic,
                await RequestAsync(Item("dave"), Item("alice"))]);
        units.Add(tooMany);
        AcceptUnit enough = new([await RequestAsync(Item("alice")), await RequestAsync(Item("alice"))]);
        units.Add(enough);
        units.Add(new AcceptUnit([await RequestAsync(Item("alice"))]));
        IReadOnlyList<AcceptResult> results = await Accept.AcceptAsync(units, Cancel);

        Assert.All(results.SkipLast(3), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        Assert.Equal(new AcceptResult(AcceptStatus.TooManyPending, 3, 1), results[^3]);
        Assert.Equal(AcceptStatus.Accepted, results[^2].Status);
        Assert.Equal(new AcceptResult(AcceptStatus.TooManyPending), results[^1]);
        Assert.Equal(Limits.PendingPerKey, await Pipeline.CountPendingAsync(Cancel));
        Assert.Null(await StateAsync(atomic.RequestId));
        // The same bytes in another structure are a different key, so the limit of the first key does not apply.
        Assert.Equal(AcceptStatus.Accepted,
            (await TryAcceptAsync(await RequestAsync(Item("alice") with { Structure = StructureId.Devices }))).Status);
    }

    [Fact]
    public async Task Keys_that_differ_by_trailing_zero_octets_are_different_keys()
    {
        string[] keys = ["k", "k\0", "k\0\0"];
        Lease lease = await StartLogAsync();
        // The first key already has the largest number of pending updates. The other keys begin without pending updates, and then get the
        // same number.
        AcceptUnit[] full = await UnitsAsync(Limits.PendingPerKey, i => [Item("k", $"k {i}")]);
        Assert.All(await Accept.AcceptAsync(full, Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        Assert.Equal(new AcceptResult(AcceptStatus.TooManyPending), await TryAcceptAsync(await RequestAsync(Item("k"))));
        Guid longer = await AcceptOneAsync(Item("k\0", "longer", new ExpectedVersion(0, 7)));
        Guid longest = await AcceptOneAsync(Item("k\0\0", "longest", new ExpectedVersion(0, 9)));
        for (int i = 1; i < Limits.PendingPerKey; i++)
        {
            Assert.Equal(AcceptStatus.Accepted,
                (await TryAcceptAsync(await RequestAsync(Item("k\0")), await RequestAsync(Item("k\0\0")))).Status);
        }
        Assert.Equal(new AcceptResult(AcceptStatus.TooManyPending), await TryAcceptAsync(await RequestAsync(Item("k\0\0"))));

        // An epoch takes the oldest update of each key, and each update keeps its version and its bytes.
        IReadOnlyList<PendingRequest> taken = await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel);
        Assert.Equal(keys, taken.Select(request => System.Text.Encoding.UTF8.GetString(request.Items[0].Key.Span)));
        Assert.Equal([null, new ExpectedVersion(0, 7), new ExpectedVersion(0, 9)], taken.Select(request => request.Items[0].Expected));
        await PublishPendingAsync(lease, 1);
        Guid[] ids = [full[0].Requests[0].RequestId, longer, longest];
        for (int i = 0; i < ids.Length; i++)
        {
            Assert.Equal(keys[i],
                System.Text.Encoding.UTF8.GetString(Assert.Single((await Accept.ReadStatusAsync(ids[i], Cancel))!.Items).Key.Span));
        }
        // A request with all three keys is valid, because no key occurs twice in it.
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(await RequestAsync([.. keys.Select(key => Item(key))]))).Status);
        Assert.All(
            await Task.WhenAll(keys.Select(async key => await TryAcceptAsync(await RequestAsync(Item(key))))),
            result => Assert.Equal(AcceptStatus.TooManyPending, result.Status));
    }

    [Fact]
    public async Task A_large_group_follows_the_same_rules()
    {
        const int size = 400;
        // The keys sort in the reverse order of their requests, so an engine that stored requests by key would fail this test.
        AcceptRequest[] first = await RequestsAsync(
            size / 2, i => [Item($"key {size - i}"), Item($"also {size - i}", $"value {i}", new ExpectedVersion(3, 7))]);
        AcceptRequest[] second = await RequestsAsync(size / 2, i => [Item($"second {size - i}")]);
        AcceptUnit[] units = [.. first.Zip(second, (one, other) => new AcceptUnit([one, other]))];
        Assert.Equal(Enumerable.Repeat(AcceptStatus.OlderCopy, units.Length),
            (await Accept.AcceptAsync(units, new HeadFloor(3, null, default), Cancel)).Select(result => result.Status));
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
        AcceptUnit late = new([Request(Guid.CreateVersion7(await Accept.ReadClockAsync(Cancel) - TimeSpan.FromHours(25)), Item("late"))]);
        IReadOnlyList<AcceptResult> results = await Accept.AcceptAsync([late, .. units], Cancel);
        Assert.Equal(new AcceptResult(AcceptStatus.RequestIdTime), results[0]);
        Assert.Equal(Enumerable.Repeat(new AcceptResult(AcceptStatus.Accepted), units.Length), results.Skip(1));

        // Now the store knows these ids. The test sends their requests again: first only these, and then these together with new requests.
        await CheckPendingAsync(units);
        Assert.Equal(Enumerable.Repeat(new AcceptResult(AcceptStatus.Accepted), units.Length), await Accept.AcceptAsync(units, Cancel));
        await CheckPendingAsync(units);
        AcceptUnit[] fresh = await UnitsAsync(size, i => [Item($"third {size - i}")]);
        AcceptUnit changed = new([Request(units[5].Requests[1].RequestId, Item("another"))]);
        results = await Accept.AcceptAsync([.. fresh.Take(size / 2), changed, units[7], .. fresh.Skip(size / 2)], Cancel);
        Assert.Equal(new AcceptResult(AcceptStatus.RequestIdReused), results[size / 2]);
        Assert.Equal(size + 1, results.Count(result => result.Status == AcceptStatus.Accepted));
        await CheckPendingAsync([.. units, .. fresh]);

        // These updates give this key the largest allowed number of pending updates.
        AcceptUnit[] most = await UnitsAsync(Limits.PendingPerKey, _ => [Item("full")]);
        Assert.All(await Accept.AcceptAsync(most, Cancel), result => Assert.Equal(AcceptStatus.Accepted, result.Status));
        AcceptUnit[] others = await UnitsAsync(size, i => [Item(i == 9 ? "full" : $"fourth {i}")]);
        results = await Accept.AcceptAsync(others, Cancel);
        Assert.Equal(new AcceptResult(AcceptStatus.TooManyPending), results[9]);
        Assert.Equal(size - 1, results.Count(result => result.Status == AcceptStatus.Accepted));
        await CheckPendingAsync([.. units, .. fresh, .. most, .. others.Where((_, i) => i != 9)]);
    }

    [Fact]
    public async Task Large_groups_of_several_services_follow_the_same_rules()
    {
        const int services = 4;
        const int size = 300;
        const int rounds = 8;
        const int ofOneKey = 5;
        const int refused = services * ofOneKey - Limits.PendingPerKey;
        IAcceptStore[] stores = await Task.WhenAll(Enumerable.Range(0, services).Select(_ => OpenAcceptAsync()));

        // Each group is within the limit, but together the groups have one update more of one key than may be pending.
        for (int i = 0; i < rounds; i++)
        {
            AcceptStatus[] statuses =
                [.. (await AcceptAllAsync(j => MakeAsync(size, k => k < ofOneKey ? $"full {i}" : $"own {i} {j} {k}"))).SelectMany(
                    results => results)];
            Assert.Equal(refused, statuses.Count(status => status == AcceptStatus.TooManyPending));
            Assert.Equal(services * size - refused, statuses.Count(status => status == AcceptStatus.Accepted));
        }

        // All services send the same requests, but each in another order. In addition, all services send one more request id, each with
        // different content.
        AcceptUnit[] same = await MakeAsync(size, i => $"same {i}");
        Guid reused = (await RequestAsync()).RequestId;
        IReadOnlyList<AcceptStatus>[] all =
            await AcceptAllAsync(i => Task.FromResult<AcceptUnit[]>(
                [.. i % 2 == 0 ? same : same.Reverse(), new AcceptUnit([Request(reused, Item("reused", $"value {i}"))])]));
        Assert.All(all, statuses => Assert.Equal(Enumerable.Repeat(AcceptStatus.Accepted, size), statuses.Take(size)));
        Assert.Equal([AcceptStatus.Accepted, .. Enumerable.Repeat(AcceptStatus.RequestIdReused, services - 1)],
            all.Select(statuses => statuses[size]).Order());
        Assert.Equal(rounds * (services * size - refused) + size + 1, await Pipeline.CountPendingAsync(Cancel));

        Task<AcceptUnit[]> MakeAsync(int count, Func<int, string> key) => UnitsAsync(count, i => [Item(key(i))]);

        async Task<IReadOnlyList<AcceptStatus>[]> AcceptAllAsync(Func<int, Task<AcceptUnit[]>> make)
        {
            AcceptUnit[][] groups = await Task.WhenAll(Enumerable.Range(0, services).Select(make));
            return await Task.WhenAll(groups.Select((group, i) => Task.Run(
                async () =>
                    (IReadOnlyList<AcceptStatus>)[.. (await RepeatAsync(() => stores[i].AcceptAsync(group, Cancel))).Select(result =>
                        result.Status)], Cancel)));
        }
    }

    [Fact]
    public async Task Epochs_miss_nothing_of_large_groups_that_are_stored_beside_each_other()
    {
        const int groups = 6;
        const int size = 600;
        const int epochsAfterwards = 3;
        Lease lease = await StartLogAsync();
        DateTimeOffset now = await Accept.ReadClockAsync(Cancel);
        Task accepting = Task.WhenAll(Enumerable.Range(0, groups).Select(i => Task.Run(
            async () =>
            {
                await using IAcceptStore store = await Fixture.Provider.OpenAcceptAsync(ConnectionString, Cancel);
                AcceptUnit[] group = [.. Enumerable.Range(0, size)
                    .Select(j => new AcceptUnit([Request(Guid.CreateVersion7(now), Item($"key {i} {j}"))]))];
                Assert.All(await RepeatAsync(() => store.AcceptAsync(group, Cancel)),
                    result => Assert.Equal(AcceptStatus.Accepted, result.Status));
            },
            Cancel)));
        // Each epoch reads from the position up to which the previous epoch decided everything. If a request with an earlier number became
        // visible only later, that request would wait forever.
        EpochUpdates batch = EpochUpdates.Empty;
        ulong epoch = 0;
        for (int left = epochsAfterwards; left > 0; left -= accepting.IsCompleted ? 1 : 0)
        {
            batch = await Pipeline.ReadPendingAsync(groups * size, long.MaxValue, epoch > 0 ? batch : null, Cancel);
            Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, Commit(++epoch, batch.Requests), Cancel));
            await SignAndPublishAsync(lease, epoch);
        }
        await accepting;
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task A_database_below_the_floor_stores_nothing()
    {
        Lease lease = await StartLogAsync();
        await PublishPendingAsync(lease, 1);
        ReadOnlyMemory<byte> hash = (await Accept.ReadHeadAsync(Cancel)).RecordHash;
        HeadFloor[] above = [new(3, null, default), new(2, 1, Octets("another record")), new(7, 6, hash)];
        HeadFloor[] met = [HeadFloor.None, new(2, null, default), new(2, 1, hash), new(1, 0, Octets("of an epoch that is not the last"))];
        AcceptUnit known = new([await RequestAsync(Item("known"))]);
        _ = await Accept.AcceptAsync([known], Cancel);
        foreach (HeadFloor floor in above)
        {
            AcceptUnit fresh = new([await RequestAsync(Item("alice"))]);
            Assert.Equal([new AcceptResult(AcceptStatus.OlderCopy)], await Accept.AcceptAsync([fresh], floor, Cancel));
            Assert.Equal([new AcceptResult(AcceptStatus.OlderCopy), new AcceptResult(AcceptStatus.OlderCopy)],
                await Accept.AcceptAsync([known, fresh], floor, Cancel));
        }
        Assert.Equal(1, await Pipeline.CountPendingAsync(Cancel));
        foreach (HeadFloor floor in met)
        {
            Assert.Equal([new AcceptResult(AcceptStatus.Accepted)],
                await Accept.AcceptAsync([new AcceptUnit([await RequestAsync(Item("alice"))])], floor, Cancel));
        }
        Assert.Equal(1 + met.Length, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task Before_genesis_only_an_empty_floor_is_met()
    {
        AcceptUnit unit = new([await RequestAsync(Item("alice"))]);
        Assert.Equal([new AcceptResult(AcceptStatus.OlderCopy)],
            await Accept.AcceptAsync([unit], new HeadFloor(1, 0, Octets("record")), Cancel));
        Assert.Equal([new AcceptResult(AcceptStatus.Accepted)], await Accept.AcceptAsync([unit], HeadFloor.None, Cancel));
    }

    [Fact]
    public async Task Requests_out_of_bounds_are_the_callers_error_and_store_nothing()
    {
        AcceptRequest good = await RequestAsync(Item("good"));
        DateTimeOffset now = await Accept.ReadClockAsync(Cancel);
        AcceptRequest[] bad =
        [
            Request(new Guid("11111111-1111-4111-8111-111111111111"), Item("version 4")),
            Request(Guid.CreateVersion7(now)),
            Request(Guid.CreateVersion7(now), Item("")),
            Request(Guid.CreateVersion7(now), Item(new string('k', 256))),
            Request(Guid.CreateVersion7(now), Item("twice"), Item("twice")),
            Request(Guid.CreateVersion7(now), [.. Enumerable.Range(0, 257).Select(i => Item($"key {i}"))]),
            good with { BodyHash = new byte[31] },
        ];
        foreach (AcceptRequest request in bad)
        {
            await Assert.ThrowsAsync<ArgumentException>(() => TryAcceptAsync(good, request));
        }
        Assert.Equal(0, await Pipeline.CountPendingAsync(Cancel));
        AcceptRequest largest = Request(
            Guid.CreateVersion7(now), [.. Enumerable.Range(0, 256).Select(i => Item(new string('k', 252) + $"{i:000}"))]);
        Assert.Equal(AcceptStatus.Accepted, (await TryAcceptAsync(good, largest)).Status);
        Assert.Equal(257, await Pipeline.CountPendingAsync(Cancel));
    }

    [Fact]
    public async Task A_status_tells_the_outcome_only_once_its_epoch_is_published()
    {
        Lease lease = await StartLogAsync();
        Guid single = await AcceptOneAsync(Item("alice", "a"));
        Guid atomic = await AcceptOneAsync(Item("zoe", "z"), Item("bob", "b"));
        Guid refused = await AcceptOneAsync(Item("carol", "c"), Item("dave", "d", new ExpectedVersion(0, 7)));
        var refusal = new Refusal(RefusalReason.ExpectedVersion, 1, new ExpectedVersion(0, 3));
        EpochCommit commit = Commit(
            1, await Pipeline.ReadPendingAsync(100, 1 << 20, Cancel), request => request.RequestId == refused ? refusal : null);
        Assert.Equal(CommitResult.Committed, await Pipeline.CommitEpochAsync(lease, commit, Cancel));

        Guid[] all = [single, atomic, refused];
        foreach (Guid id in all)
        {
            Assert.Equal(RequestState.Pending, await StateAsync(id));
        }
        await SignAndPublishAsync(lease, 1);

        RequestStatus published = (await Accept.ReadStatusAsync(atomic, Cancel))!;
        Assert.Equal((RequestState.Published, RequestKind.Keys, 1ul), (published.State, published.Kind, published.Epoch));
        Assert.Equal(["zoe", "bob"], published.Items.Select(item => System.Text.Encoding.UTF8.GetString(item.Key.Span)));
        Assert.All(published.Items, item => Assert.Equal((StructureId.Keys, 0ul, 1ul), (item.Structure, item.Period, item.Version)));
        Assert.All(published.Items.Select((item, i) => (item, i)), pair =>
            Assert.Equal(new LeafOrigin(atomic, pair.i), commit.Leaves.Origins.Span[pair.item.Ordinal]));
        Assert.Equal(RequestState.Published, await StateAsync(single));

        RequestStatus said = (await Accept.ReadStatusAsync(refused, Cancel))!;
        Assert.Equal((RequestState.Refused, 1ul, refusal), (said.State, said.Epoch, said.Refusal));
    }

    [Fact]
    public async Task Waiting_ends_with_a_publication_or_at_its_time()
    {
        Lease lease = await StartLogAsync();
        Task<HeadRow> waiting = Accept.WaitForPublishedAsync(0, TimeSpan.FromSeconds(30), Cancel);
        await Task.Delay(100, Cancel);
        Assert.False(waiting.IsCompleted);
        await PublishPendingAsync(lease, 1);
        Assert.Equal(1ul, (await waiting).PublishedEpoch);
        Assert.Equal(1ul, (await Accept.WaitForPublishedAsync(null, TimeSpan.FromSeconds(30), Cancel)).PublishedEpoch);
        Assert.Equal(1ul, (await Accept.WaitForPublishedAsync(1, TimeSpan.FromMilliseconds(50), Cancel)).PublishedEpoch);
    }

    [Fact]
    public async Task Accepts_go_on_while_epochs_are_committed_and_none_is_lost_or_doubled()
    {
        const int EnoughAccepts = 40;
        const ulong EnoughEpochs = 3;
        const ulong MaxEpochs = 400;
        Lease lease = await StartLogAsync();
        ulong epoch = 0;
        Task<List<Guid>> accepting = Task.Run(
            async () =>
            {
                var ids = new List<Guid>();
                while (ids.Count < EnoughAccepts || Volatile.Read(ref epoch) < EnoughEpochs)
                {
                    AcceptRequest[] requests = [await RequestAsync(Item($"key {ids.Count % 7}")),
                        await RequestAsync(Item($"key {ids.Count % 5}"), Item($"other {ids.Count % 3}"))];
                    foreach (AcceptRequest request in requests)
                    {
                        if ((await TryAcceptAsync(request)).Status == AcceptStatus.Accepted)
                        {
                            ids.Add(request.RequestId);
                        }
                    }
                }
                return ids;
            },
            Cancel);
        // The two writers must take turns: neither of them may keep the other out for hundreds of epochs.
        while (!accepting.IsCompleted && epoch < MaxEpochs)
        {
            ulong next = epoch + 1;
            await PublishPendingAsync(lease, next);
            Volatile.Write(ref epoch, next);
        }
        Assert.InRange(epoch, EnoughEpochs, MaxEpochs - 1);
        List<Guid> accepted = await accepting;
        while (await Pipeline.CountPendingAsync(Cancel) > 0)
        {
            await PublishPendingAsync(lease, ++epoch);
        }
        var seen = new List<Guid>();
        await foreach (LeafBatch batch in Pipeline.ReadLeavesAsync(0, epoch, 1000, LeafColumns.All, Cancel))
        {
            foreach (LeafOrigin origin in batch.Origins.ToArray().Where(origin => origin.Item == 0))
            {
                seen.Add(origin.RequestId);
            }
        }
        Assert.Equal(accepted.Order(), seen.Order());
    }

    // Checks that exactly these requests are pending, in this order, and that the next epoch would take those whose keys are in no earlier
    // request.
    private async Task CheckPendingAsync(IReadOnlyList<AcceptUnit> units)
    {
        AcceptRequest[] all = [.. units.SelectMany(unit => unit.Requests)];
        Assert.Equal(all.Sum(request => request.Items.Count), await Pipeline.CountPendingAsync(Cancel));
        var seen = new HashSet<UpdateKey>();
        AcceptRequest[] expected =
            [.. all.Where(
                request => request.Items.Select(item => seen.Add(new UpdateKey(item.Structure, item.Key))).ToArray().All(isNew => isNew))];
        IReadOnlyList<PendingRequest> found = await Pipeline.ReadPendingAsync(100_000, long.MaxValue, Cancel);
        Assert.Equal(expected.Select(request => request.RequestId), found.Select(request => request.RequestId));
        Assert.Equal(expected.Select(request => Convert.ToHexString(request.BodyHash.Span)),
            found.Select(request => Convert.ToHexString(request.BodyHash.Span)));
        Assert.Equal(expected.SelectMany(Texts),
            found.SelectMany(request => Texts(new AcceptRequest(request.RequestId, request.BodyHash, request.Items))));

        static IEnumerable<string> Texts(AcceptRequest request) => request.Items.Select(
            item =>
                $"{item.Structure} {Convert.ToHexString(item.Key.Span)} {Convert.ToHexString(item.Value.Span)} {item.Expected?.Period} {item.Expected?.Version}");
    }
}
