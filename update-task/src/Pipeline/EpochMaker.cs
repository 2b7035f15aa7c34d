using System.Runtime.InteropServices;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochMaker turns pending requests into the next epoch: decides expected versions, makes leaves and trees, and writes the record.</summary>
internal static class EpochMaker
{
    /// <summary>Make changes nothing but the staged trees.</summary>
    /// <param name="session">The log at the epoch before.</param>
    /// <param name="pending">What <see cref="IPipelineStore.ReadPendingAsync"/> gave: no key twice. Empty: a heartbeat.</param>
    /// <param name="nowMs">The wall clock in Unix milliseconds.</param>
    /// <param name="times">Counts the steps.</param>
    public static EpochDraft Make(LogSession session, IReadOnlyList<PendingRequest> pending, ulong nowMs, EpochTimes times)
    {
        ulong epoch = session.Last.Epoch + 1;
        EpochTimes.Timer labels = times.Measure(EpochStep.Labels);
        Refusal?[] refusals = Decide(session, pending);
        var origins = new List<(PendingRequest Request, int Item)>();
        for (int i = 0; i < pending.Count; i++)
        {
            if (refusals[i] is null)
            {
                origins.AddRange(Enumerable.Range(0, pending[i].Items.Count).Select(item => (pending[i], item)));
            }
        }

        LeafBatch leaves = MakeLeaves(session.Directory, epoch, origins, out int[] inputs);
        labels.Dispose();
        using EpochTimes.Timer tree = times.Measure(EpochStep.Tree);
        StagedEpoch staged = session.Directory.Stage(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true);
        try
        {
            byte[] record = MakeRecord(session, epoch, staged, nowMs);
            byte[] audit = AuditProofFile.Encode(session.Last.Record.Span, record, staged.AppendProofs());
            List<Outcome> outcomes = MakeOutcomes(pending, refusals, origins, inputs);
            var commit = new EpochCommit(
                new EpochRow(epoch, record, EpochRecord.Hash(record), default), session.Last.RecordHash, session.Period.Period, leaves, outcomes);
            return new EpochDraft(commit, staged, audit, origins.Count, outcomes.Count - origins.Count);
        }
        catch
        {
            staged.Dispose();
            throw;
        }
    }

    // One refusal a request, for its first item whose key is at another version than expected.
    private static Refusal?[] Decide(LogSession session, IReadOnlyList<PendingRequest> pending)
    {
        var expected = new List<(int Request, int Item)>();
        for (int i = 0; i < pending.Count; i++)
        {
            for (int item = 0; item < pending[i].Items.Count; item++)
            {
                if (pending[i].Items[item].Expected is not null)
                {
                    expected.Add((i, item));
                }
            }
        }
        using var keys = new ByteStrings(expected.Count);
        var structures = new StructureId[expected.Count];
        for (int i = 0; i < expected.Count; i++)
        {
            AcceptItem item = pending[expected[i].Request].Items[expected[i].Item];
            structures[i] = item.Structure;
            keys.Add(item.Key.Span);
        }
        ulong[] versions = new ulong[expected.Count];
        if (expected.Count > 0)
        {
            session.Directory.Versions(structures, keys, versions);
        }
        var refusals = new Refusal?[pending.Count];
        for (int i = 0; i < expected.Count; i++)
        {
            (int request, int item) = expected[i];
            var current = new ExpectedVersion(session.Period.Period, versions[i]);
            if (pending[request].Items[item].Expected != current)
            {
                refusals[request] ??= new Refusal(RefusalReason.ExpectedVersion, item, current);
            }
        }
        return refusals;
    }

    // Rows in ordinal order; inputs[ordinal] is the index of its origin.
    private static LeafBatch MakeLeaves(KeyDirectory directory, ulong epoch, List<(PendingRequest Request, int Item)> origins, out int[] inputs)
    {
        inputs = new int[origins.Count];
        if (origins.Count == 0)
        {
            return LeafBatch.Empty;
        }
        using var keys = new ByteStrings(origins.Count, 32 * origins.Count);
        using var values = new ByteStrings(origins.Count, 256 * origins.Count);
        var structures = new StructureId[origins.Count];
        for (int i = 0; i < origins.Count; i++)
        {
            AcceptItem item = origins[i].Request.Items[origins[i].Item];
            structures[i] = item.Structure;
            keys.Add(item.Key.Span);
            values.Add(item.Value.Span);
        }
        var rows = new LeafRow[origins.Count];
        directory.Prepare(epoch, structures, keys, values, rows);

        byte[] orderedKeys = new byte[keys.Blob.Length];
        int[] keyEnds = new int[rows.Length];
        var leafOrigins = new LeafOrigin[rows.Length];
        int end = 0;
        for (int ordinal = 0; ordinal < rows.Length; ordinal++)
        {
            int input = rows[ordinal].InputIndex;
            inputs[ordinal] = input;
            rows[ordinal].InputIndex = 0;
            keys[input].CopyTo(orderedKeys.AsSpan(end));
            end += keys[input].Length;
            keyEnds[ordinal] = end;
            leafOrigins[ordinal] = new LeafOrigin(origins[input].Request.RequestId, origins[input].Item);
        }
        return new LeafBatch(rows, values.Blob.ToArray(), orderedKeys, keyEnds, leafOrigins);
    }

    private static byte[] MakeRecord(LogSession session, ulong epoch, StagedEpoch staged, ulong nowMs)
    {
        byte[] record = new EpochRecord
        {
            LogId = session.Identity.Anchor.LogId,
            Epoch = epoch,
            Period = session.Period.Period,
            PeriodFirstEpoch = session.Period.FirstEpoch,
            TimeMs = Math.Max(nowMs, session.LastTimeMs + 1),
            Structures = staged.States(),
            Previous = session.Last.RecordHash,
        }.Encode();
        Reason reason = Verifier.Record(session.Identity.Anchor, record, session.Last.Record.Span);
        return reason == Reason.Valid ? record : throw new InvalidOperationException($"The record made for epoch {epoch} is not valid: {reason.Name()}.");
    }

    private static List<Outcome> MakeOutcomes(
        IReadOnlyList<PendingRequest> pending, Refusal?[] refusals, List<(PendingRequest Request, int Item)> origins, int[] inputs)
    {
        var outcomes = new List<Outcome>(origins.Count);
        for (int ordinal = 0; ordinal < inputs.Length; ordinal++)
        {
            (PendingRequest request, int item) = origins[inputs[ordinal]];
            outcomes.Add(new Outcome(request.RequestId, request.Sequence, item, ordinal, null) { BodyHash = request.BodyHash });
        }
        for (int i = 0; i < pending.Count; i++)
        {
            if (refusals[i] is { } refusal)
            {
                outcomes.AddRange(Enumerable.Range(0, pending[i].Items.Count).Select(
                    item => new Outcome(pending[i].RequestId, pending[i].Sequence, item, null, refusal) { BodyHash = pending[i].BodyHash }));
            }
        }
        // In key order of the table, so that the insert is sequential.
        CollectionsMarshal.AsSpan(outcomes).Sort((a, b) => a.Sequence != b.Sequence ? a.Sequence.CompareTo(b.Sequence) : a.Item.CompareTo(b.Item));
        return outcomes;
    }
}
