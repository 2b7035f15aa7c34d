using Optiks.Protocol;

namespace Optiks.Db.Planning;

/// <summary>
/// The resources of a service that carries a given load, computed from <see cref="MeasuredFigures"/>; docs/operations/scale.md explains
/// each rule. A service with several logs assigns each key to one of them, so that all have about the same share. Figures are per log
/// unless stated otherwise.
/// </summary>
internal sealed class Plan
{
    /// <summary>The largest number of leaves that a directory's ids can distinguish (ozks/trie/nodes.h).</summary>
    public const double MaxLeaves = 1L << 31;

    /// <summary>The share of each program's capacity that a plan uses; the rest is for busy hours, restarts and growth.</summary>
    public const double Share = 0.5;

    /// <summary>The smallest number of replicas of a log: even if one replica fails while another is upgraded, a replica is left.</summary>
    public const int MinReplicas = 3;

    private const double SecondsPerDay = 86_400;
    private const double DaysPerYear = 365;

    // The memory of a program in addition to its trees, for .NET, the VRF cache and requests.
    private const double MemoryBesideTrees = 1L << 30;

    // The bytes of the two parts of an append-only proof: an added leaf, and a sibling on its path (docs/spec/proofs.md).
    private const double ProofPerLeaf = 85;
    private const double ProofPerSibling = 34;

    private static readonly double[] s_usualDays = [30, 14, 7, 3, 1];

    private Plan(PlanQuestion question, int logs)
    {
        Question = question;
        Logs = logs;
        Keys = question.Keys / logs;
        UpdatesPerSecond = question.UpdatesPerSecond / logs;
        LookupsPerSecond = question.LookupsPerSecond / logs;
    }

    /// <summary>The question that this plan answers.</summary>
    public PlanQuestion Question { get; }

    /// <summary>The number of logs.</summary>
    public int Logs { get; }

    /// <summary>The number of keys in a log.</summary>
    public double Keys { get; }

    /// <summary>The updates per second of a log.</summary>
    public double UpdatesPerSecond { get; }

    /// <summary>The lookups per second of a log.</summary>
    public double LookupsPerSecond { get; }

    /// <summary>The number of versions that are made in a period.</summary>
    public double VersionsPerPeriod => UpdatesPerSecond * Question.PeriodDays * SecondsPerDay;

    /// <summary>The number of leaves at the end of a period: a copy of each key, and a leaf for each version since.</summary>
    public double Leaves => Keys + VersionsPerPeriod;

    /// <summary>The average number of updates in an epoch.</summary>
    public double UpdatesPerEpoch => UpdatesPerSecond * Question.EpochSeconds;

    /// <summary>The memory of the update-task at a switch, with the trees of two periods.</summary>
    public double TaskMemory => ((Leaves + Keys) * MeasuredFigures.MemoryPerLeaf.Value) + MemoryBesideTrees;

    /// <summary>The memory of a replica at a switch.</summary>
    public double ReplicaMemory => TaskMemory;

    /// <summary>The disk space of the update-task for leaf logs and snapshots of two periods; the board needs further space.</summary>
    public double TaskDisk => (Leaves + Keys) * DiskPerLeaf;

    /// <summary>The disk space of a replica: the same as the update-task's, plus a file for each ended period.</summary>
    public double ReplicaDisk => TaskDisk + ((Question.Periods - 1) * Leaves * DiskPerLeaf);

    /// <summary>The disk space of a replica in stored mode: node stores and leaf logs.</summary>
    public double StoredDisk => (Leaves + Keys + ((Question.Periods - 1) * Leaves)) * (MeasuredFigures.StorePerLeaf.Value + LeafLog);

    /// <summary>The number of replicas, with two cores each, that answer the lookups of a log.</summary>
    public int Replicas => Math.Max(MinReplicas, Ceiling(LookupsPerSecond / (Share * MeasuredFigures.LookupsPerSecond.Value)) + 1);

    /// <summary>The size of a log's database when all served periods exist.</summary>
    public double Database =>
        (Keys * (MeasuredFigures.DatabasePerKey.Value + Question.ValueOctets))
        + (Question.Periods * VersionsPerPeriod * (MeasuredFigures.DatabasePerVersion.Value + Question.ValueOctets))
        + (Question.Periods * Keys * (MeasuredFigures.DatabasePerCopy.Value + Question.ValueOctets));

    /// <summary>The number of seconds that it takes to prepare the next period.</summary>
    public double SwitchSeconds => Keys / MeasuredFigures.CopiesPerSecond.Value;

    /// <summary>The bytes of records and proofs that an auditor reads per day.</summary>
    public double AuditorOctetsPerDay => ((UpdatesPerSecond * ProofPerUpdate) + (EpochRecord.Length / Question.EpochSeconds)) * SecondsPerDay;

    /// <summary>The share of one processor that an auditor uses.</summary>
    public double AuditorShare => UpdatesPerSecond * MeasuredFigures.AuditorPerInsertion.Value / 1e6;

    /// <summary>
    /// The growth of the board in bytes per year. The board keeps all proofs and records forever: the files of each epoch, and the parts of
    /// proofs that exceed the first blocks of these files.
    /// </summary>
    public double BoardOctetsPerYear => ((MeasuredFigures.BoardPerEpoch.Value / Question.EpochSeconds) + (UpdatesPerSecond * ProofPerUpdate)) * SecondsPerDay * DaysPerYear;

    private double LeafLog => MeasuredFigures.LeafLogPerLeaf.Value + Question.ValueOctets;

    private double DiskPerLeaf => LeafLog + MeasuredFigures.SnapshotPerLeaf.Value;

    // A proof of b new leaves has siblings only below level log2 b of the tree, because the paths of b leaves diverge there.
    private double ProofPerUpdate => ProofPerLeaf + (ProofPerSibling * Math.Max(0, Math.Log2(Math.Max(1, Leaves) / Math.Max(1, UpdatesPerEpoch))));

    /// <summary>Creates the plan for a question, with as few logs as can carry it.</summary>
    public static Plan Create(PlanQuestion question) => new(question, Math.Max(1, Ceiling(FindBounds(question).Max(bound => bound.Logs))));

    /// <summary>
    /// Returns the plan with a shorter period that needs fewer logs, with the longest such period among the usual periods; null when there
    /// is no such plan.
    /// </summary>
    public Plan? Shorter() => s_usualDays.Where(days => days < Question.PeriodDays).Select(days => Create(Question with { PeriodDays = days })).FirstOrDefault(plan => plan.Logs < Logs);

    /// <summary>Returns the bounds of one log, each with the number of logs needed if it were the only bound.</summary>
    public static IReadOnlyList<PlanBound> FindBounds(PlanQuestion question)
    {
        ArgumentNullException.ThrowIfNull(question);
        double seconds = question.PeriodDays * SecondsPerDay;
        double versions = question.UpdatesPerSecond * seconds;
        double leavesInMemory = Math.Max(1, question.HostMemory - MemoryBesideTrees) / MeasuredFigures.MemoryPerLeaf.Value;
        return
        [
            new PlanBound("leaves that ids tell apart", (question.Keys + versions) / (Share * MaxLeaves)),
            new PlanBound("memory of a host, with the trees of two periods", ((2 * question.Keys) + versions) / leavesInMemory),
            new PlanBound("updates that one update-task publishes", question.UpdatesPerSecond / (Share * MeasuredFigures.UpdatesPerSecond.Value)),
            new PlanBound("copies that are staged in half of a period", question.Keys / (Share * seconds * MeasuredFigures.CopiesPerSecond.Value)),
        ];
    }

    private static int Ceiling(double value) => (int)Math.Min(int.MaxValue, Math.Ceiling(value));
}
