using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// Checks a whole log, independently of the task's own code. The database and the board must have the same history. Every root must follow
/// from the stored leaves, and an auditor must accept every step. Every accepted update must be in the history exactly once, unless it must
/// be refused according to the model in <see cref="LogModel"/>.
/// </summary>
internal static class HistoryCheck
{
    /// <summary>Checks the log in a folder, and returns the last published epoch.</summary>
    public static async Task<ulong> RunAsync(TestFolder folder, Updates? updates = null)
    {
        CancellationToken cancellationToken = TestContext.Current.CancellationToken;
        await using IFollowStore store = await new SqliteStorageProvider().OpenFollowAsync(folder.ConnectionString, cancellationToken);
        HeadRow head = await store.ReadHeadAsync(cancellationToken);
        Assert.NotNull(head.PublishedEpoch);
        Assert.Equal(head.Epoch, head.PublishedEpoch);
        ulong last = head.PublishedEpoch.Value;
        IReadOnlyList<EpochRow> epochs = await store.ReadEpochsAsync(0, last, cancellationToken);
        Assert.Equal(last + 1, (ulong)epochs.Count);
        var leaves = new List<StoredLeaf>();
        await foreach (LeafBatch batch in store.ReadLeavesAsync(1, Math.Max(1, last), 1000, LeafColumns.All, cancellationToken))
        {
            leaves.AddRange(Enumerable.Range(0, batch.Rows.Length).Select(i => new StoredLeaf(batch, i)));
        }

        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken);
        var copies = new List<CopyBatch>();
        foreach (PeriodRow period in periods.Where(period => period.FirstEpoch > 0))
        {
            copies.Add(await store.ReadCopiesAsync(period.Period, 0, period.Copies!.Value, LeafColumns.All, cancellationToken));
            Assert.Equal(period.Copies, copies[^1].Rows.Length);
        }
        CheckRoots(epochs, leaves, copies);
        CheckAudit(folder, epochs);
        await CheckBoardAsync(folder, epochs, cancellationToken);
        HighWaterMark? mark = HighWaterMark.Read(HighWaterMark.PathIn(folder.Data));
        Assert.NotNull(mark);
        Assert.True(mark.Names(last, head.RecordHash.Span));
        if (updates is not null)
        {
            await CheckUpdatesAsync(folder, updates, leaves, copies, periods, cancellationToken);
        }
        return last;
    }

    // Returns the copies with which a period begins: for each key, the last row, unless that row removes the key.
    private static IEnumerable<LeafRow> CopiesOf(IReadOnlyList<CopyBatch> copies, ulong period, StructureId structure) =>
        period == 0 ? [] : copies[(int)period - 1].Rows.ToArray()
        .Where(row => row.Structure == structure).GroupBy(row => Convert.ToHexString(row.Label)).Select(rows => rows.Last())
        .Where(row => row.Version > 0);

    private static void CheckRoots(IReadOnlyList<EpochRow> epochs, List<StoredLeaf> leaves, IReadOnlyList<CopyBatch> copies)
    {
        foreach (EpochRow row in epochs)
        {
            var record = EpochRecord.Decode(row.Record.Span);
            for (int i = 0; i < Structures.Count; i++)
            {
                var structure = (StructureId)(i + 1);
                ulong first = structure.IsPerPeriod() ? record.PeriodFirstEpoch : 0;
                (byte[] Label, byte[] Commitment, ulong Epoch)[] present =
                [
                    .. leaves.Where(leaf => leaf.Epoch >= first && leaf.Epoch <= row.Epoch && leaf.Content.Structure == structure)
                        .Select(leaf => (leaf.Label, leaf.Commitment, leaf.Epoch)),
                    .. CopiesOf(copies, record.Period, structure).Select(copy => (copy.Label.ToArray(), copy.Commitment.ToArray(), 0UL)),
                ];
                Assert.Equal((ulong)present.Length, record.Structures[i].Count);
                if (present.Length > 0)
                {
                    Assert.Equal(PatriciaRoot.Compute(present), record.Structures[i].Root.ToArray());
                }
            }
        }
    }

    private static void CheckAudit(TestFolder folder, IReadOnlyList<EpochRow> epochs)
    {
        var context = new VerifierContext
        {
            Anchor = TrustAnchor.Load(folder.Data.TrustAnchor),
            NowMs = EpochRecord.Decode(epochs[^1].Record.Span).TimeMs,
        };
        string log = new BoardFolder(folder.Data).Log;
        for (int epoch = 1; epoch < epochs.Count; epoch++)
        {
            byte[] proof = File.ReadAllBytes(Path.Combine(log, AuditProofPath.ForEpoch((ulong)epoch)));
            ulong first = EpochRecord.Decode(epochs[epoch - 1].Record.Span).PeriodFirstEpoch;
            AuditVerdict verdict = Verifier.Audit(context, epochs[epoch - 1].Record.Span, epochs[(int)first].Record.Span, proof);
            Assert.Equal(Reason.Valid, verdict.Reason);
            Assert.Equal(epochs[epoch].Record.ToArray(), verdict.NewRecord.ToArray());
        }
    }

    private static async Task CheckBoardAsync(TestFolder folder, IReadOnlyList<EpochRow> epochs, CancellationToken cancellationToken)
    {
        var anchor = TrustAnchor.Load(folder.Data.TrustAnchor);
        var reader = new DirectoryTileReader(new BoardFolder(folder.Data).Log);
        byte[]? note = await reader.ReadCheckpointAsync(cancellationToken);
        Assert.NotNull(note);
        Assert.Equal(Reason.Valid, LogVerifier.Checkpoint(anchor, note, out ulong size, out byte[] root));
        Assert.Equal((ulong)epochs.Count, size);
        Assert.Equal(epochs[^1].Checkpoint.ToArray(), note);
        Assert.True(TreeHash.TryParseBase64(Encoding.ASCII.GetBytes(Convert.ToBase64String(root)), out TreeHash hash));
        var tiles = new HashReader(reader, size, hash);
        for (ulong epoch = 0; epoch < size; epoch++)
        {
            // When the tile reader reads an entry, it verifies the board's entry bundle by the hash tiles, and the hash tiles by the root.
            Assert.Equal(epochs[(int)epoch].Record.ToArray(), (await tiles.ReadEntryAsync(epoch, cancellationToken)).ToArray());
        }
    }

    private static async Task CheckUpdatesAsync(TestFolder folder, Updates updates, List<StoredLeaf> leaves,
        IReadOnlyList<CopyBatch> copies, IReadOnlyList<PeriodRow> periods, CancellationToken cancellationToken)
    {
        await using (PipelineStore store = await folder.OpenPipelineAsync())
        {
            Assert.Equal(0, await store.CountPendingAsync(cancellationToken));
        }
        var decided = new List<(AcceptRequest Request, RequestStatus Status)>();
        var latest = new Dictionary<(StructureId, string), ulong>();
        foreach (AcceptRequest request in updates.Accepted)
        {
            RequestStatus status = await updates.StatusAsync(request);
            decided.Add((request, status));
            foreach (AcceptItem item in request.Items)
            {
                // An epoch takes only the oldest request for each key, so later requests for the key must be in later epochs.
                Assert.True(status.Epoch > latest.GetValueOrDefault((item.Structure, LogModel.Text(item.Key))));
                latest[(item.Structure, LogModel.Text(item.Key))] = status.Epoch;
            }
        }
        Configuration configuration = TrustAnchor.Load(folder.Data.TrustAnchor).Configuration;
        var model = new LogModel(configuration.MaxDevices, configuration.ReusesUsernames);
        var switches = new Queue<CopyBatch>(copies);
        void SwitchUntil(ulong epoch)
        {
            while (switches.TryPeek(out CopyBatch? begun) && periods[(int)begun.Period].FirstEpoch <= epoch)
            {
                _ = switches.Dequeue();
                model.Switch();
                Assert.Equal(model.Copied.Order(StringComparer.Ordinal), ContentOf(begun).Order(StringComparer.Ordinal));
            }
        }
        foreach (IGrouping<ulong, (AcceptRequest, RequestStatus)> epoch in decided.GroupBy(pair => pair.Status.Epoch)
            .OrderBy(group => group.Key))
        {
            SwitchUntil(epoch.Key);
            model.Decide(epoch.Key, [.. epoch]);
        }
        SwitchUntil(ulong.MaxValue);
        Assert.Equal(
            model.Leaves.OrderBy(leaf => leaf.ToString(), StringComparer.Ordinal),
            leaves.Select(leaf => leaf.Content).Where(leaf => leaf.Origin != LeafOrigin.Padding)
                .OrderBy(leaf => leaf.ToString(), StringComparer.Ordinal));
    }

    private static IEnumerable<string> ContentOf(CopyBatch copies)
    {
        var numbers = new Dictionary<string, int>();
        for (int i = 0; i < copies.Rows.Length; i++)
        {
            numbers[Convert.ToHexString(copies.Rows.Span[i].Label)] = i;
        }
        return numbers.Values.Where(i => copies.Rows.Span[i].Version > 0)
            .Select(
                i => LogModel.CopyOf(copies.Rows.Span[i].Structure, LogModel.Text(copies.Key(i)), copies.Sources.Span[i].Version,
                    LogModel.Text(copies.Value(i))));
    }

    private sealed record StoredLeaf(byte[] Label, byte[] Commitment, ulong Epoch, LogModel.ModelLeaf Content)
    {
        public StoredLeaf(LeafBatch batch, int index)
            : this(
                batch.Rows.Span[index].Label.ToArray(),
                batch.Rows.Span[index].Commitment.ToArray(),
                batch.Rows.Span[index].Epoch,
                new LogModel.ModelLeaf(
                    batch.Origins.Span[index],
                    batch.Rows.Span[index].Structure,
                    LogModel.Text(batch.Key(index)),
                    batch.Rows.Span[index].Version,
                    batch.Rows.Span[index].ValueOffset == LeafRow.NoValue
                        ? ""
                        : LogModel.Text(
                            batch.Values.Slice((int)batch.Rows.Span[index].ValueOffset, (int)batch.Rows.Span[index].ValueLength))))
        {
        }
    }
}
