using Optiks.Protocol;

namespace Optiks.Db.Planning;

/// <summary>
/// What a service takes that carries what was asked, reckoned from <see cref="MeasuredFigures"/>; docs/operations/scale.md argues each rule. A service of several logs sends each key to one of them, so that
/// all have about the same share. Figures are of one log unless said otherwise.
/// </summary>
internal sealed class Plan
{
    /// <summary>MaxLeaves that a directory's ids tell apart (ozks/trie/nodes.h).</summary>
    public const double MaxLeaves = 1L << 31;

    /// <summary>Share of what a part can carry at most that a plan lets it carry: there are busy hours, restarts and growth.</summary>
    public const double Share = 0.5;

    /// <summary>MinReplicas of a log: one may fail while another is upgraded.</summary>
    public const int MinReplicas = 3;

    private const double SecondsPerDay = 86_400;
    private const double DaysPerYear = 365;

    // What programs have beside their trees: .NET, VRF cache, requests.
    private const double MemoryBesideTrees = 1L << 30;

    // Of an append-only proof: an added leaf, and a sibling on its path (docs/spec/proofs.md).
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

    /// <summary>Question that this is the answer to.</summary>
    public PlanQuestion Question { get; }

    /// <summary>Logs beside each other.</summary>
    public int Logs { get; }

    /// <summary>Keys of a log.</summary>
    public double Keys { get; }

    /// <summary>UpdatesPerSecond of a log.</summary>
    public double UpdatesPerSecond { get; }

    /// <summary>LookupsPerSecond of a log.</summary>
    public double LookupsPerSecond { get; }

    /// <summary>Versions that are made in a period.</summary>
    public double VersionsPerPeriod => UpdatesPerSecond * Question.PeriodDays * SecondsPerDay;

    /// <summary>Leaves at the end of a period: a copy of each key, and a leaf for each version since.</summary>
    public double Leaves => Keys + VersionsPerPeriod;

    /// <summary>UpdatesPerEpoch on average.</summary>
    public double UpdatesPerEpoch => UpdatesPerSecond * Question.EpochSeconds;

    /// <summary>TaskMemory at a switch, with the trees of two periods.</summary>
    public double TaskMemory => ((Leaves + Keys) * MeasuredFigures.MemoryPerLeaf.Value) + MemoryBesideTrees;

    /// <summary>ReplicaMemory at a switch.</summary>
    public double ReplicaMemory => TaskMemory;

    /// <summary>TaskDisk: leaf log and snapshots of two periods. What the board has comes on top.</summary>
    public double TaskDisk => (Leaves + Keys) * DiskPerLeaf;

    /// <summary>ReplicaDisk: the same, and a file for each ended period.</summary>
    public double ReplicaDisk => TaskDisk + ((Question.Periods - 1) * Leaves * DiskPerLeaf);

    /// <summary>StoredDisk of a replica in stored mode: node stores and leaf logs.</summary>
    public double StoredDisk => (Leaves + Keys + ((Question.Periods - 1) * Leaves)) * (MeasuredFigures.StorePerLeaf.Value + LeafLog);

    /// <summary>Replicas that answer the lookups of a log, of two cores each.</summary>
    public int Replicas => Math.Max(MinReplicas, Ceiling(LookupsPerSecond / (Share * MeasuredFigures.LookupsPerSecond.Value)) + 1);

    /// <summary>Database of a log, once all periods are there that are served.</summary>
    public double Database =>
        (Keys * (MeasuredFigures.DatabasePerKey.Value + Question.ValueOctets))
        + (Question.Periods * VersionsPerPeriod * (MeasuredFigures.DatabasePerVersion.Value + Question.ValueOctets))
        + (Question.Periods * Keys * (MeasuredFigures.DatabasePerCopy.Value + Question.ValueOctets));

    /// <summary>SwitchSeconds to make the next period ahead.</summary>
    public double SwitchSeconds => Keys / MeasuredFigures.CopiesPerSecond.Value;

    /// <summary>AuditorOctetsPerDay of records and proofs.</summary>
    public double AuditorOctetsPerDay => ((UpdatesPerSecond * ProofPerUpdate) + (EpochRecord.Length / Question.EpochSeconds)) * SecondsPerDay;

    /// <summary>AuditorShare of one processor.</summary>
    public double AuditorShare => UpdatesPerSecond * MeasuredFigures.AuditorPerInsertion.Value / 1e6;

    /// <summary>BoardOctetsPerYear of the board, which keeps all proofs and records for good: files of each epoch, and what proofs have beside their first blocks.</summary>
    public double BoardOctetsPerYear => ((MeasuredFigures.BoardPerEpoch.Value / Question.EpochSeconds) + (UpdatesPerSecond * ProofPerUpdate)) * SecondsPerDay * DaysPerYear;

    private double LeafLog => MeasuredFigures.LeafLogPerLeaf.Value + Question.ValueOctets;

    private double DiskPerLeaf => LeafLog + MeasuredFigures.SnapshotPerLeaf.Value;

    // The paths of b new leaves part from each other after log2 b levels.
    private double ProofPerUpdate => ProofPerLeaf + (ProofPerSibling * Math.Max(0, Math.Log2(Math.Max(1, Leaves) / Math.Max(1, UpdatesPerEpoch))));

    /// <summary>Of the question, with as few logs as carry it.</summary>
    public static Plan Of(PlanQuestion question) => new(question, Math.Max(1, Ceiling(BoundsOf(question).Max(bound => bound.Logs))));

    /// <summary>The longest shorter period, of those that are usual, with which the question takes fewer logs; null: there is none.</summary>
    public Plan? Shorter() => s_usualDays.Where(days => days < Question.PeriodDays).Select(days => Of(Question with { PeriodDays = days })).FirstOrDefault(plan => plan.Logs < Logs);

    /// <summary>BoundsOf one log, each with how many logs it would take if it were the only one.</summary>
    public static IReadOnlyList<PlanBound> BoundsOf(PlanQuestion question)
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
