using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochMaker turns pending requests into the next epoch: has them decided (<see cref="UpdateRules"/>), makes leaves and trees, and writes the record.</summary>
internal sealed class EpochMaker
{
    private readonly Padding _padding;
    private readonly long _maxBytes;

    /// <summary>EpochMaker of epochs with these dummies, of at most <see cref="EpochOptions.MaxBytesPerEpoch"/>: with new device lists one may have no room for all updates (<see cref="EpochDraft.Updates"/>).</summary>
    public EpochMaker(Padding padding, IOptions<EpochOptions> options)
    {
        _padding = padding;
        _maxBytes = options.Value.MaxBytesPerEpoch;
    }

    /// <summary>Make changes nothing but the staged trees.</summary>
    /// <param name="session">The log at the epoch before.</param>
    /// <param name="updates">What <see cref="IPipelineStore.ReadPendingAsync"/> gave: no key twice. Empty: a heartbeat.</param>
    /// <param name="erasures">What is erased for those of them that ask for it.</param>
    /// <param name="nowMs">The wall clock in Unix milliseconds.</param>
    /// <param name="times">Counts the steps.</param>
    public EpochDraft Make(LogSession session, EpochUpdates updates, ErasurePlan erasures, ulong nowMs, EpochTimes times)
    {
        ulong epoch = session.Last.Epoch + 1;
        Decision[] decisions;
        LeafBatch leaves;
        int[] ordinals;
        using (times.Measure(EpochStep.Labels))
        {
            decisions = UpdateRules.Decide(session.Directory, session.Identity.Anchor.Configuration, session.Period.Period, updates.Requests, _maxBytes);
            updates = updates.First(decisions.Length);
            erasures = erasures.Of(updates.Requests);
            erasures.Decide(updates.Requests, decisions);
            leaves = MakeLeaves(session, epoch, updates.Requests, decisions, out ordinals);
        }
        using EpochTimes.Timer tree = times.Measure(EpochStep.Tree);
        StagedEpoch staged = session.Directory.Stage(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true);
        try
        {
            byte[] record = MakeRecord(session, epoch, staged, nowMs);
            byte[] audit = AuditProof.Encode([session.Last.Record, record], staged.AppendProofs());
            List<Outcome> outcomes = MakeOutcomes(updates.Requests, decisions, ordinals);
            var commit = new EpochCommit(
                new EpochRow(epoch, record, EpochRecord.Hash(record), default), session.Last.RecordHash, session.Period.Period, leaves, outcomes)
            { Erasures = erasures.Erasures };
            return new EpochDraft(updates, erasures, commit, staged, audit);
        }
        catch
        {
            staged.Dispose();
            throw;
        }
    }

    // Rows in ordinal order, dummies among them; ordinals[i] is that of the i-th item that has a leaf.
    private LeafBatch MakeLeaves(LogSession session, ulong epoch, IReadOnlyList<PendingRequest> pending, Decision[] decisions, out int[] ordinals)
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
        using var leaves = new LeafInputs(count, valueBytes);
        for (int i = 0; i < pending.Count; i++)
        {
            IReadOnlyList<AcceptItem> items = pending[i].Items;
            for (int item = 0; item < items.Count; item++)
            {
                if (decisions[i].HasLeaf(item))
                {
                    leaves.Add(items[item].Structure, items[item].Key.Span, decisions[i].ValueOf(pending[i], item).Span, new LeafOrigin(pending[i].RequestId, item));
                }
            }
        }
        _padding.AddTo(leaves, session.Identity.Anchor.Configuration);
        return leaves.Prepare(session.Directory, epoch, ordinals);
    }

    private static byte[] MakeRecord(LogSession session, ulong epoch, StagedEpoch staged, ulong nowMs)
    {
        byte[] record = new EpochRecord
        {
            LogId = session.Identity.Anchor.LogId,
            Epoch = epoch,
            Period = session.Period.Period,
            PeriodFirstEpoch = session.Period.FirstEpoch!.Value,
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
