using Optiks.Protocol;

namespace Optiks.Db.Planning;

/// <summary>
/// Computes, from <see cref="MeasuredFigures"/>, the resources that a service needs for a given load. docs/operations/scale.md explains
/// each rule. A service with several logs assigns each key to one of them, so that all logs have about the same share of the load. All
/// figures are for one log, except where a comment says otherwise.
/// </summary>
internal sealed class Plan
{
    /// <summary>The largest number of leaves of a directory, which the ids of its nodes limit (ozks/trie/nodes.h).</summary>
    public const double MaxLeaves = 1L << 31;

    /// <summary>The share of each program's capacity that a plan uses. The rest is reserved for busy hours, restarts and growth.</summary>
    public const double Share = 0.5;

    /// <summary>The smallest number of query-services of a log. With three, one is left even if one fails while another is being
    /// upgraded.</summary>
    public const int MinReplicas = 3;

    private const double SecondsPerDay = 86_400;
    private const double DaysPerYear = 365;

    // The memory in bytes that a program needs in addition to its trees, for .NET, the VRF cache and requests.
    private const double MemoryBesideTrees = 1L << 30;

    // The sizes of the two parts of an append proof, in bytes: of an added leaf, and of a sibling on its path (docs/spec/proofs.md).
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

    /// <summary>The number of logs that the service needs.</summary>
    public int Logs { get; }

    /// <summary>The number of keys in one log.</summary>
    public double Keys { get; }

    /// <summary>The number of updates per second of one log.</summary>
    public double UpdatesPerSecond { get; }

    /// <summary>The number of lookups per second of one log.</summary>
    public double LookupsPerSecond { get; }

    /// <summary>The number of new versions in a period.</summary>
    public double VersionsPerPeriod => UpdatesPerSecond * Question.PeriodDays * SecondsPerDay;

    /// <summary>The number of leaves at the end of a period, which are a copy of each key and a leaf for each version since the period
    /// began.</summary>
    public double Leaves => Keys + VersionsPerPeriod;

    /// <summary>The average number of updates in an epoch.</summary>
    public double UpdatesPerEpoch => UpdatesPerSecond * Question.EpochSeconds;

    /// <summary>The memory in bytes that the update-task needs at a switch, when it has the trees of two periods.</summary>
    public double TaskMemory => ((Leaves + Keys) * MeasuredFigures.MemoryPerLeaf.Value) + MemoryBesideTrees;

    /// <summary>The memory in bytes that a query-service needs at a switch, when it has the trees of two periods.</summary>
    public double ReplicaMemory => TaskMemory;

    /// <summary>The disk space in bytes that the update-task needs for the leaf logs and snapshots of two periods. The board needs
    /// additional space.</summary>
    public double TaskDisk => (Leaves + Keys) * DiskPerLeaf;

    /// <summary>The disk space in bytes that a query-service needs. It needs as much as the update-task, and also space for a snapshot and
    /// a leaf log of each other period that it serves.</summary>
    public double ReplicaDisk => TaskDisk + ((Question.Periods - 1) * Leaves * DiskPerLeaf);

    /// <summary>The disk space in bytes that a query-service in stored mode needs for node stores and leaf logs.</summary>
    public double StoredDisk => (Leaves + Keys + ((Question.Periods - 1) * Leaves)) * (MeasuredFigures.StorePerLeaf.Value + LeafLog);

    /// <summary>The number of query-services, with two cores each, that can answer one log's lookups.</summary>
    public int Replicas => Math.Max(MinReplicas, Ceiling(LookupsPerSecond / (Share * MeasuredFigures.LookupsPerSecond.Value)) + 1);

    /// <summary>The size of a log's database in bytes, once the log has all periods that it serves.</summary>
    public double Database =>
        (Keys * (MeasuredFigures.DatabasePerKey.Value + Question.ValueOctets))
        + (Question.Periods * VersionsPerPeriod * (MeasuredFigures.DatabasePerVersion.Value + Question.ValueOctets))
        + (Question.Periods * Keys * (MeasuredFigures.DatabasePerCopy.Value + Question.ValueOctets));

    /// <summary>The number of seconds that it takes to prepare the next period.</summary>
    public double SwitchSeconds => Keys / MeasuredFigures.CopiesPerSecond.Value;

    /// <summary>The number of bytes of records and proofs that an auditor reads per day.</summary>
    public double AuditorOctetsPerDay =>
        ((UpdatesPerSecond * ProofPerUpdate) + (EpochRecord.Length / Question.EpochSeconds)) * SecondsPerDay;

    /// <summary>The share of one processor that an auditor uses.</summary>
    public double AuditorShare => UpdatesPerSecond * MeasuredFigures.AuditorPerInsertion.Value / 1e6;

    /// <summary>
    /// The growth of the board in bytes per year. The board keeps all records and proofs forever. The sum has the files of each epoch with
    /// their smallest size, and the size of the proofs, which grows with the number of updates.
    /// </summary>
    public double BoardOctetsPerYear =>
        ((MeasuredFigures.BoardPerEpoch.Value / Question.EpochSeconds) + (UpdatesPerSecond * ProofPerUpdate)) * SecondsPerDay * DaysPerYear;

    private double LeafLog => MeasuredFigures.LeafLogPerLeaf.Value + Question.ValueOctets;

    private double DiskPerLeaf => LeafLog + MeasuredFigures.SnapshotPerLeaf.Value;

    // The bytes of an append proof per update. In a proof for b new leaves, the paths of these leaves diverge at about level log2 b of the
    // tree, so the proof has siblings only below that level.
    private double ProofPerUpdate =>
        ProofPerLeaf + (ProofPerSibling * Math.Max(0, Math.Log2(Math.Max(1, Leaves) / Math.Max(1, UpdatesPerEpoch))));

    /// <summary>Creates the plan for a question, with the smallest number of logs that can carry the load.</summary>
    public static Plan Create(PlanQuestion question) => new(question, Math.Max(1, Ceiling(FindBounds(question).Max(bound => bound.Logs))));

    /// <summary>
    /// Returns a plan that needs fewer logs than this plan because its period is shorter. Among the usual lengths of periods, it has the
    /// longest one for which this is true. Returns null if there is no such plan.
    /// </summary>
    public Plan? Shorter() =>
        s_usualDays.Where(days => days < Question.PeriodDays).Select(days => Create(Question with { PeriodDays = days }))
            .FirstOrDefault(plan => plan.Logs < Logs);

    /// <summary>Returns the bounds of a log. Each bound has the number of logs that would be needed if it were the only bound.</summary>
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
            new PlanBound("updates that one update-task publishes",
                question.UpdatesPerSecond / (Share * MeasuredFigures.UpdatesPerSecond.Value)),
            new PlanBound("copies that are staged in half of a period",
                question.Keys / (Share * seconds * MeasuredFigures.CopiesPerSecond.Value)),
        ];
    }

    private static int Ceiling(double value) => (int)Math.Min(int.MaxValue, Math.Ceiling(value));
}
