using Microsoft.Extensions.Options;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Rules;
using Optiks.UpdateTask.Telemetry;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Turns pending requests into the next epoch. The class <see cref="UpdateRules"/> decides the requests; this class makes the epoch's
/// leaves, trees and record.
/// </summary>
internal sealed class EpochMaker
{
    private readonly Padding _padding;
    private readonly long _maxBytes;

    /// <summary>
    /// Creates a maker that pads epochs with dummies, and limits their size by the option <see cref="EpochOptions.MaxBytesPerEpoch"/>. New
    /// device lists count towards this limit, so an epoch may not have room for all updates that it gets. The property
    /// <see cref="EpochDraft.Updates"/> holds the updates that it takes.
    /// </summary>
    public EpochMaker(Padding padding, IOptions<EpochOptions> options)
    {
        _padding = padding;
        _maxBytes = options.Value.MaxBytesPerEpoch;
    }

    /// <summary>Makes the next epoch. Changes only the staged trees.</summary>
    /// <param name="session">The log's session, at the epoch before the new epoch.</param>
    /// <param name="updates">The pending updates, as <see cref="PipelineStore.ReadPendingAsync"/> read them. No two requests have the same
    /// key. If there are no updates, the epoch is a heartbeat.</param>
    /// <param name="erasures">The plan for the requests that ask for erasures.</param>
    /// <param name="copied">The mapping from expected versions of the previous period to versions of the current period.</param>
    /// <param name="freed">The usernames that may be reassigned to another user.</param>
    /// <param name="nowMs">The wall clock in Unix milliseconds.</param>
    /// <param name="times">The object that measures the steps of the epoch.</param>
    public EpochDraft Make(LogSession session, EpochUpdates updates, ErasurePlan erasures, CopiedVersions copied, FreedUsernames freed,
        ulong nowMs, EpochTimes times)
    {
        ulong epoch = session.Last.Epoch + 1;
        Decision[] decisions;
        LeafBatch leaves;
        int[] ordinals;
        using (times.Measure(EpochStep.Labels))
        {
            decisions = UpdateRules.Decide(
                session.Directory, session.Identity.Anchor.Configuration, copied, freed, updates.Requests, _maxBytes);
            updates = updates.First(decisions.Length);
            erasures = erasures.Restrict(updates.Requests);
            erasures.Decide(updates.Requests, decisions);
            leaves = MakeLeaves(session, epoch, updates.Requests, decisions, out ordinals);
        }
        using EpochTimes.Timer tree = times.Measure(EpochStep.Tree);
        List<Outcome> outcomes = MakeOutcomes(updates.Requests, decisions, ordinals);
        StagedEpoch staged = session.Directory.Stage(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true);
        return MakeDraft(session, staged, nowMs, leaves, updates, outcomes, erasures, begun: null);
    }

    /// <summary>
    /// Makes the first epoch of the next period. All copies must already be in the next period's trees. The epoch takes no requests,
    /// because requests would change the copies (docs/spec/periods.md section 2). Changes only the staged trees.
    /// </summary>
    /// <param name="session">The log's session, at the last epoch of the current period.</param>
    /// <param name="copies">The number of rows of copies with which the period begins.</param>
    /// <param name="nowMs">The wall clock in Unix milliseconds; the switch must be due at this time.</param>
    /// <param name="times">The object that measures the steps of the epoch.</param>
    public EpochDraft MakeSwitch(LogSession session, int copies, ulong nowMs, EpochTimes times)
    {
        ulong epoch = session.Last.Epoch + 1;
        LogTrees next = session.Replay.Next ?? throw new InvalidOperationException("The next period has no trees.");
        LeafBatch leaves;
        using (times.Measure(EpochStep.Labels))
        {
            using var dummies = new LeafInputs(0, 0);
            _padding.AddTo(dummies, session.Identity.Anchor.Configuration, structure => !structure.IsPerPeriod());
            // Only the structures `usernames` and `decommissioned` get dummies here. The current period's directory can prepare their
            // leaves, because these structures have the same secrets in every period.
            leaves = dummies.Prepare(session.Directory, epoch, []);
        }
        using EpochTimes.Timer tree = times.Measure(EpochStep.Tree);
        StagedEpoch staged = next.Directory.StartPeriod(epoch, leaves.Rows.Span, leaves.Values.Span, withProofs: true);
        return MakeDraft(
            session, staged, nowMs, leaves, EpochUpdates.Empty, [], ErasurePlan.None, begun: new PeriodSwitch(next.Period, copies));
    }

    // Makes the epoch's leaves, including dummies. The rows are in ordinal order. The element `ordinals[i]` is the ordinal of the i-th item
    // that has a leaf.
    private LeafBatch MakeLeaves(
        LogSession session, ulong epoch, IReadOnlyList<PendingRequest> pending, Decision[] decisions, out int[] ordinals)
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
                    valueBytes += decisions[i].GetValue(pending[i], item).Length;
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
                    leaves.Add(items[item].Structure, items[item].Key.Span, decisions[i].GetValue(pending[i], item).Span,
                        new LeafOrigin(pending[i].RequestId, item));
                }
            }
        }
        _padding.AddTo(leaves, session.Identity.Anchor.Configuration, _ => true);
        return leaves.Prepare(session.Directory, epoch, ordinals);
    }

    // Makes the record, the audit proof and the commit of the staged epoch. Takes over the staged trees: disposes of them if it fails.
    private static EpochDraft MakeDraft(
        LogSession session, StagedEpoch staged, ulong nowMs, LeafBatch leaves, EpochUpdates updates, IReadOnlyList<Outcome> outcomes,
        ErasurePlan erasures, PeriodSwitch? begun)
    {
        try
        {
            ulong epoch = session.Last.Epoch + 1;
            ulong period = begun?.Period ?? session.Period.Period;
            ulong periodFirstEpoch = begun is null ? session.Period.FirstEpoch!.Value : epoch;
            byte[] record = MakeRecord(session, epoch, period, periodFirstEpoch, staged, nowMs);
            byte[] audit = AuditProof.Encode([session.Last.Record, record], staged.AppendProofs());
            var row = new EpochRow(epoch, record, EpochRecord.Hash(record), default);
            var commit = new EpochCommit(row, session.Last.RecordHash, period, leaves, outcomes)
            {
                Erasures = erasures.Erasures,
                Switch = begun,
            };
            return new EpochDraft(updates, erasures, commit, staged, audit);
        }
        catch
        {
            staged.Dispose();
            throw;
        }
    }

    private static byte[] MakeRecord(LogSession session, ulong epoch, ulong period, ulong periodFirstEpoch, StagedEpoch staged, ulong nowMs)
    {
        byte[] record = new EpochRecord
        {
            LogId = session.Identity.Anchor.LogId,
            Epoch = epoch,
            Period = period,
            PeriodFirstEpoch = periodFirstEpoch,
            TimeMs = Math.Max(nowMs, session.LastTimeMs + 1),
            Structures = staged.States(),
            Previous = session.Last.RecordHash,
        }.Encode();
        Reason reason = LogVerifier.VerifyRecord(session.Identity.Anchor, record, session.Last.Record.Span, session.PeriodStart.Record.Span);
        return reason == Reason.Valid
            ? record
            : throw new InvalidOperationException($"The record made for epoch {epoch} is not valid: {reason.Name()}.");
    }

    // Makes the outcomes of the requests' items. The requests are in order of acceptance, so the outcomes are in the order of their table's
    // primary key, and the database can insert them sequentially.
    private static List<Outcome> MakeOutcomes(IReadOnlyList<PendingRequest> pending, Decision[] decisions, int[] ordinals)
    {
        var outcomes = new List<Outcome>(ordinals.Length);
        int input = 0;
        for (int i = 0; i < pending.Count; i++)
        {
            PendingRequest request = pending[i];
            for (int item = 0; item < request.Items.Count; item++)
            {
                ItemResult result = decisions[i].FindWithoutLeaf(item) ?? new ItemResult.Leaf(ordinals[input++]);
                outcomes.Add(new Outcome(request.RequestId, request.Sequence, item, result) { BodyHash = request.BodyHash });
            }
        }
        return outcomes;
    }
}
