using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochMaker turns pending requests into the next epoch: has them decided (<see cref="UpdateRules"/>), makes leaves and trees, and writes the record.</summary>
internal static class EpochMaker
{
    /// <summary>Make changes nothing but the staged trees.</summary>
    /// <param name="session">The log at the epoch before.</param>
    /// <param name="updates">What <see cref="IPipelineStore.ReadPendingAsync"/> gave: no key twice. Empty: a heartbeat.</param>
    /// <param name="maxBytes">Octets of keys and values that the epoch takes: with new device lists it may have no room for all updates (<see cref="EpochDraft.Updates"/>).</param>
    /// <param name="nowMs">The wall clock in Unix milliseconds.</param>
    /// <param name="times">Counts the steps.</param>
    public static EpochDraft Make(LogSession session, EpochUpdates updates, long maxBytes, ulong nowMs, EpochTimes times)
    {
        ulong epoch = session.Last.Epoch + 1;
        Decision[] decisions;
        LeafBatch leaves;
        int[] ordinals;
        using (times.Measure(EpochStep.Labels))
        {
            decisions = UpdateRules.Decide(session.Directory, session.Identity.Anchor.Configuration, session.Period.Period, updates.Requests, maxBytes);
            updates = updates.First(decisions.Length);
            leaves = MakeLeaves(session.Directory, epoch, updates.Requests, decisions, out ordinals);
        }
        using EpochTimes.Timer tree = times.Measure(EpochStep.Tree);
        StagedEpoch staged = session.Directory.Stage(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true);
        try
        {
            byte[] record = MakeRecord(session, epoch, staged, nowMs);
            byte[] audit = AuditProof.Encode([session.Last.Record, record], staged.AppendProofs());
            List<Outcome> outcomes = MakeOutcomes(updates.Requests, decisions, ordinals);
            var commit = new EpochCommit(
                new EpochRow(epoch, record, EpochRecord.Hash(record), default), session.Last.RecordHash, session.Period.Period, leaves, outcomes);
            return new EpochDraft(updates, commit, staged, audit);
        }
        catch
        {
            staged.Dispose();
            throw;
        }
    }

    // Rows in ordinal order; ordinals[i] is that of the i-th item that has a leaf.
    private static LeafBatch MakeLeaves(KeyDirectory directory, ulong epoch, IReadOnlyList<PendingRequest> pending, Decision[] decisions, out int[] ordinals)
    {
        int count = 0;
        int valueBytes = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            for (int item = 0; item < pending[i].Items.Count; item++)
            {
                if (decisions[i].HasLeaf(item))
                {
                    count++;
                    valueBytes += decisions[i].ValueOf(pending[i], item).Length;
                }
            }
        }
        ordinals = new int[count];
        if (count == 0)
        {
            return LeafBatch.Empty;
        }
        using var keys = new ByteStrings(count, 32 * count);
        using var values = new ByteStrings(count, valueBytes);
        var structures = new StructureId[count];
        var origins = new LeafOrigin[count];
        for (int i = 0; i < pending.Count; i++)
        {
            IReadOnlyList<AcceptItem> items = pending[i].Items;
            for (int item = 0; item < items.Count; item++)
            {
                if (decisions[i].HasLeaf(item))
                {
                    structures[keys.Count] = items[item].Structure;
                    origins[keys.Count] = new LeafOrigin(pending[i].RequestId, item);
                    keys.Add(items[item].Key.Span);
                    values.Add(decisions[i].ValueOf(pending[i], item).Span);
                }
            }
        }
        var rows = new LeafRow[count];
        directory.Prepare(epoch, structures, keys, values, rows);

        byte[] orderedKeys = new byte[keys.Blob.Length];
        int[] keyEnds = new int[count];
        var orderedOrigins = new LeafOrigin[count];
        int end = 0;
        for (int ordinal = 0; ordinal < count; ordinal++)
        {
            int input = rows[ordinal].InputIndex;
            rows[ordinal].InputIndex = 0;
            ordinals[input] = ordinal;
            ReadOnlySpan<byte> key = keys[input];
            key.CopyTo(orderedKeys.AsSpan(end));
            end += key.Length;
            keyEnds[ordinal] = end;
            orderedOrigins[ordinal] = origins[input];
        }
        return new LeafBatch(rows, values.Blob.ToArray(), orderedKeys, keyEnds, orderedOrigins);
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

    // In key order of the table, as requests are in order of acceptance: the insert is sequential.
    private static List<Outcome> MakeOutcomes(IReadOnlyList<PendingRequest> pending, Decision[] decisions, int[] ordinals)
    {
        var outcomes = new List<Outcome>(ordinals.Length);
        int input = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            PendingRequest request = pending[i];
            for (int item = 0; item < request.Items.Count; item++)
            {
                Refusal? without = decisions[i].OutcomeOf(item);
                int? ordinal = without is null ? ordinals[input++] : null;
                outcomes.Add(new Outcome(request.RequestId, request.Sequence, item, ordinal, without) { BodyHash = request.BodyHash });
            }
        }
        return outcomes;
    }
}
