using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Storage.Sqlite;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>
/// Plays the part of the update-task on the service's database. Decides pending requests and publishes epochs. In place of records and
/// proofs it writes arbitrary bytes, because the update-service does not read them.
/// </summary>
internal sealed class Log : IAsyncDisposable
{
    private readonly string _connectionString;
    private readonly Dictionary<string, ulong> _versions = [];
    private PipelineStore? _store;
    private Lease? _lease;
    private ulong _epoch;

    /// <summary>
    /// A test's function that refuses requests for reasons that this class does not check itself, such as a user who has left.
    /// </summary>
    public Func<PendingRequest, Refusal?> Refusing { get; set; } = _ => null;

    /// <summary>
    /// A test's function that returns the values to erase. The class calls it for each request that asks for an erasure and is not refused.
    /// </summary>
    public Func<PendingRequest, IReadOnlyList<Erasure>> Erasing { get; set; } = _ => [];

    public Log(DataFolder folder)
    {
        _connectionString = $"Data Source={folder.Database}";
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Returns the row of an epoch.</summary>
    public static EpochRow Row(ulong epoch)
    {
        byte[] record = new byte[EpochRecord.Length];
        BitConverter.TryWriteBytes(record, epoch);
        return new EpochRow(epoch, record, SHA256.HashData(record), default);
    }

    /// <summary>Makes and publishes epoch 0.</summary>
    public async Task StartAsync()
    {
        _store = await new SqliteStorageProvider().OpenPipelineAsync(_connectionString, Cancel);
        _lease = await _store.AcquireLeaseAsync("test", TimeSpan.FromMinutes(10), Cancel);
        Assert.NotNull(_lease);
        await _store.CreateGenesisAsync(_lease, Row(0), PeriodRow.Genesis(new byte[] { 1 }, new byte[] { 1 }), Cancel);
        await FinishAsync(0);
    }

    /// <summary>
    /// Commits the next epoch with the pending requests, and refuses requests that expect another version than the key's current version.
    /// Does not publish the epoch.
    /// </summary>
    public async Task<ulong> CommitAsync()
    {
        IReadOnlyList<PendingRequest> pending = await _store!.ReadPendingAsync(100_000, long.MaxValue, Cancel);
        _epoch++;
        var outcomes = new List<Outcome>();
        var erasures = new List<Erasure>();
        var leaves = new List<(byte[] Label, LeafRow Row, AcceptItem Update, LeafOrigin Origin)>();
        ulong offset = 0;
        foreach (PendingRequest request in pending)
        {
            ItemResult? without = (Refuse(request) ?? Refusing(request)) is { } refusal ? new ItemResult.Refused(refusal) : null;
            if (request.Kind == RequestKind.Erasure && without is null)
            {
                without = new ItemResult.Erased();
                erasures.AddRange(Erasing(request));
            }
            for (int i = 0; i < request.Items.Count; i++)
            {
                AcceptItem update = request.Items[i];
                if (without is not null)
                {
                    outcomes.Add(new Outcome(request.RequestId, request.Sequence, i, without));
                    continue;
                }
                if (update.Structure == StructureId.Devices && !UserChange.Decode(update.Value).ChangesList)
                {
                    outcomes.Add(
                        new Outcome(request.RequestId, request.Sequence, i,
                            new ItemResult.Unchanged(new ExpectedVersion(0, Version(update)))));
                    continue;
                }
                ulong version = update.Structure.HasVersions() ? _versions[Name(update)] = Version(update) + 1 : 0;
                byte[] label = SHA256.HashData([(byte)update.Structure, .. update.Key.Span, .. BitConverter.GetBytes(_epoch)]);
                leaves.Add((label, new LeafRow
                {
                    Epoch = _epoch,
                    Structure = update.Structure,
                    Version = version,
                    Label = label,
                    Commitment = label,
                    Tag = label.AsSpan(16),
                    Opening = label.AsSpan(16),
                    ValueLength = (uint)update.Value.Length,
                }, update, new LeafOrigin(request.RequestId, i)));
                outcomes.Add(new Outcome(request.RequestId, request.Sequence, i, new ItemResult.Leaf(leaves.Count - 1)));
            }
        }
        int[] order = [.. Enumerable.Range(0, leaves.Count).OrderBy(i => leaves[i].Row.Structure)
            .ThenBy(i => Convert.ToHexString(leaves[i].Label), StringComparer.Ordinal)];
        var rows = new LeafRow[order.Length];
        var values = new List<byte>();
        var keys = new List<byte>();
        var ends = new List<int>();
        for (int i = 0; i < order.Length; i++)
        {
            (_, LeafRow row, AcceptItem update, _) = leaves[order[i]];
            row.ValueOffset = offset;
            offset += row.ValueLength;
            rows[i] = row;
            values.AddRange(update.Value.Span);
            keys.AddRange(update.Key.Span);
            ends.Add(keys.Count);
        }
        var batch = new LeafBatch(rows, values.ToArray(), keys.ToArray(), ends.ToArray(), order.Select(i => leaves[i].Origin).ToArray());
        Outcome[] placed =
            [.. outcomes.Select(outcome => outcome.Result is ItemResult.Leaf leaf
                ? outcome with { Result = new ItemResult.Leaf(Array.IndexOf(order, leaf.Ordinal)) }
                : outcome)];
        CommitResult result = await _store!.CommitEpochAsync(
            _lease!, new EpochCommit(Row(_epoch), Row(_epoch - 1).RecordHash, 0, batch, placed) { Erasures = erasures }, Cancel);
        Assert.Equal(CommitResult.Committed, result);
        return _epoch;
    }

    /// <summary>Signs and publishes a committed epoch.</summary>
    public async Task FinishAsync(ulong epoch)
    {
        await _store!.StoreCheckpointAsync(_lease!, epoch, Row(epoch).RecordHash, new byte[] { 1 }, Cancel);
        await _store.PublishAsync(_lease!, epoch, Cancel);
    }

    /// <summary>Commits and publishes the pending requests.</summary>
    public async Task<ulong> PublishAsync()
    {
        ulong epoch = await CommitAsync();
        await FinishAsync(epoch);
        return epoch;
    }

    public async ValueTask DisposeAsync()
    {
        if (_store is not null)
        {
            await _store.DisposeAsync();
        }
    }

    private static string Name(AcceptItem update) => $"{update.Structure} {Convert.ToHexString(update.Key.Span)}";

    private ulong Version(AcceptItem update) => _versions.GetValueOrDefault(Name(update));

    private Refusal? Refuse(PendingRequest request)
    {
        for (int i = 0; i < request.Items.Count; i++)
        {
            var current = new ExpectedVersion(0, Version(request.Items[i]));
            if (request.Items[i].Expected is { } expected && expected != current)
            {
                return new Refusal(RefusalReason.ExpectedVersion, i, current);
            }
        }
        return null;
    }
}
