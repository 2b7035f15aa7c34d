using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.Tlog;
using Optiks.UpdateTask.Board;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>
/// HistoryCheck is the independent check after every fault: one history, the same in the database and on the board, whose every root follows from the stored leaves and whose every step an
/// auditor accepts; and every accepted update in it exactly once.
/// </summary>
internal static class HistoryCheck
{
    /// <summary>RunAsync gives the last published epoch.</summary>
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

        CheckRoots(epochs, leaves);
        CheckAudit(folder, epochs);
        await CheckBoardAsync(folder, epochs, cancellationToken);
        HighWaterMark? mark = HighWaterMark.Read(HighWaterMark.PathIn(folder.Data));
        Assert.NotNull(mark);
        Assert.True(mark.Names(last, head.RecordHash.Span));
        if (updates is not null)
        {
            await CheckUpdatesAsync(folder, updates, leaves, cancellationToken);
        }
        return last;
    }

    private static void CheckRoots(IReadOnlyList<EpochRow> epochs, List<StoredLeaf> leaves)
    {
        foreach (EpochRow row in epochs)
        {
            StructureState keys = EpochRecord.Decode(row.Record.Span).Structures[(int)StructureId.Keys - 1];
            StoredLeaf[] present = [.. leaves.Where(leaf => leaf.Epoch <= row.Epoch)];
            Assert.Equal((ulong)present.Length, keys.Count);
            Assert.Equal(PatriciaRoot.Compute(present.Select(leaf => (leaf.Label, leaf.Commitment, leaf.Epoch))), keys.Root.ToArray());
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
            byte[] proof = File.ReadAllBytes(Path.Combine(log, AuditProofPath.Of((ulong)epoch)));
            AuditVerdict verdict = Verifier.Audit(context, epochs[epoch - 1].Record.Span, epochs[0].Record.Span, proof);
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
        Assert.Equal(Reason.Valid, Verifier.Checkpoint(anchor, note, out ulong size, out byte[] root));
        Assert.Equal((ulong)epochs.Count, size);
        Assert.Equal(epochs[^1].Checkpoint.ToArray(), note);
        Assert.True(TreeHash.TryParseBase64(Encoding.ASCII.GetBytes(Convert.ToBase64String(root)), out TreeHash hash));
        var tiles = new HashReader(reader, size, hash);
        for (ulong epoch = 0; epoch < size; epoch++)
        {
            // Bundles are checked against the tiles, and these against the root.
            Assert.Equal(epochs[(int)epoch].Record.ToArray(), (await tiles.ReadEntryAsync(epoch, cancellationToken)).ToArray());
        }
    }

    private static async Task CheckUpdatesAsync(TestFolder folder, Updates updates, List<StoredLeaf> leaves, CancellationToken cancellationToken)
    {
        await using (IPipelineStore store = await folder.OpenPipelineAsync())
        {
            Assert.Equal(0, await store.CountPendingAsync(cancellationToken));
        }
        (LeafOrigin Origin, string Key, string Value)[] accepted =
        [
            .. updates.Accepted.SelectMany(request => request.Items.Select((item, i) =>
                (new LeafOrigin(request.RequestId, i), Encoding.UTF8.GetString(item.Key.Span), Encoding.UTF8.GetString(item.Value.Span)))),
        ];
        Assert.Equal(accepted.OrderBy(update => update.ToString(), StringComparer.Ordinal), leaves.Select(leaf => (leaf.Origin, leaf.Key, leaf.Value)).OrderBy(update => update.ToString(), StringComparer.Ordinal));
        foreach (IGrouping<string, StoredLeaf> key in leaves.GroupBy(leaf => leaf.Key))
        {
            StoredLeaf[] versions = [.. key.OrderBy(leaf => leaf.Epoch)];
            Assert.Equal(Enumerable.Range(1, versions.Length).Select(version => (ulong)version), versions.Select(leaf => leaf.Version));
            Assert.Equal(accepted.Where(update => update.Key == key.Key).Select(update => update.Value), versions.Select(leaf => leaf.Value));
        }
        foreach (AcceptRequest request in updates.Accepted)
        {
            Assert.Equal(RequestState.Published, (await updates.StatusAsync(request)).State);
        }
    }

    private sealed record StoredLeaf(byte[] Label, byte[] Commitment, ulong Epoch, ulong Version, string Key, string Value, LeafOrigin Origin)
    {
        public StoredLeaf(LeafBatch batch, int index)
            : this(
                batch.Rows.Span[index].Label.ToArray(),
                batch.Rows.Span[index].Commitment.ToArray(),
                batch.Rows.Span[index].Epoch,
                batch.Rows.Span[index].Version,
                Encoding.UTF8.GetString(batch.Key(index).Span),
                Encoding.UTF8.GetString(batch.Values.Span.Slice((int)batch.Rows.Span[index].ValueOffset, (int)batch.Rows.Span[index].ValueLength)),
                batch.Origins.Span[index])
        {
        }
    }
}
