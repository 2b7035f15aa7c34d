using System.Collections.Immutable;

namespace Optiks.Db.Planning;

/// <summary>
/// Lists all figures that plans use. They were measured on machines with two cores. A test checks that each figure's quoted text is on its
/// page.
/// </summary>
internal static class MeasuredFigures
{
    private const string Sizes = "docs/measurements/sizes.md";
    private const string Growing = "docs/measurements/growing.md";
    private const string Performance = "docs/performance.md";

    /// <summary>The memory that a directory takes per leaf.</summary>
    public static readonly MeasuredFigure MemoryPerLeaf = new("memory, octets a leaf", 127, Performance, "124 to 127");

    /// <summary>The size of a directory's snapshot per leaf. A snapshot with 2^26 leaves has 7.0 GiB.</summary>
    public static readonly MeasuredFigure SnapshotPerLeaf = new("snapshot, octets a leaf", 112, Growing, "7.0 GiB, 20.3 s");

    /// <summary>The size of the leaf log per leaf, without the leaf's value. The leaf log exists in addition to the snapshot, and has 10.0
    /// GiB for 2^26 leaves with values of 64 bytes.</summary>
    public static readonly MeasuredFigure LeafLogPerLeaf = new("leaf log, octets a leaf beside its value", 96, Growing, "10.0 GiB");

    /// <summary>The size of the node store per leaf, which exists in stored mode.</summary>
    public static readonly MeasuredFigure StorePerLeaf = new("stored mode, octets a leaf on disk", 177, Growing, "177 octets a key");

    /// <summary>The number of lookups per second that a query-service on two cores answers when VRF outputs are not cached.</summary>
    public static readonly MeasuredFigure LookupsPerSecond = new("lookups/s of a replica", 26_000, Performance, "26,000 and 28,000/s");

    /// <summary>The number of lookups per second that the trees of a query-service in stored mode can answer, with 2^26 keys on a disk and
    /// without the rest of the service.</summary>
    public static readonly MeasuredFigure StoredLookupsPerSecond = new(
        "lookups/s of a replica in stored mode", 28_000, Growing, "| 28,000 |");

    /// <summary>The number of updates per second that one update-task can publish continuously.</summary>
    public static readonly MeasuredFigure UpdatesPerSecond = new(
        "updates/s that a task publishes", 21_000, Performance, "21,000 to 24,700, 28,700/s");

    /// <summary>The number of copies per second that an update-task stages for the next period while it makes epochs.</summary>
    public static readonly MeasuredFigure CopiesPerSecond = new(
        "copies/s for the next period", 4_200, "docs/measurements/periods.md", "247 s; 4,270/s");

    /// <summary>The processor time that an auditor takes for an epoch with one new key.</summary>
    public static readonly MeasuredFigure AuditorPerInsertion = new(
        "auditor, us of processor time an insertion", 25, "docs/measurements/auditing.md", "an epoch takes the auditor 25 us");

    /// <summary>
    /// The size of the database per key that was never updated, without the value. On PostgreSQL, such a key with a value of 120 bytes
    /// takes 768 bytes; on SQLite, it takes about half of that.
    /// </summary>
    public static readonly MeasuredFigure DatabasePerKey = new(
        "database, octets a key beside its value", 648, Sizes, "| database, PostgreSQL | 768 | 1,748 | 660 | 486 |");

    /// <summary>The size of the database per later version of a key, without the value.</summary>
    public static readonly MeasuredFigure DatabasePerVersion = new(
        "database, octets a later version beside its value", 540, Sizes, "| database, PostgreSQL | 768 | 1,748 | 660 | 486 |");

    /// <summary>The size of the database per copy of a key with which a period begins, without the value.</summary>
    public static readonly MeasuredFigure DatabasePerCopy = new(
        "database, octets a copy beside its value", 366, Sizes, "| database, PostgreSQL | 768 | 1,748 | 660 | 486 |");

    /// <summary>The size of an epoch's files on the board, including an audit proof with one inserted leaf.</summary>
    public static readonly MeasuredFigure BoardPerEpoch = new("board, octets an epoch", 6_881, Sizes, "| 6,881 |");

    /// <summary>All figures.</summary>
    public static ImmutableArray<MeasuredFigure> All { get; } =
    [
        MemoryPerLeaf, SnapshotPerLeaf, LeafLogPerLeaf, StorePerLeaf, LookupsPerSecond, StoredLookupsPerSecond, UpdatesPerSecond,
        CopiesPerSecond, AuditorPerInsertion,
        DatabasePerKey, DatabasePerVersion, DatabasePerCopy, BoardPerEpoch,
    ];
}
