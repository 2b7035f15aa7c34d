using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures how often the update-task makes epochs and how large they become (<c>Optiks:UpdateTask</c>). The settings may change at every
/// start.
/// </summary>
internal sealed class EpochOptions
{
    public const string Section = "Optiks:UpdateTask";

    /// <summary>
    /// The time between the beginnings of two epochs. If more updates wait than fit into one epoch, or if an epoch took longer than this
    /// time, the next epoch begins at once.
    /// </summary>
    /// <value>The default is one second.</value>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan EpochInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum number of updates in one epoch.</summary>
    /// <value>The default is 100,000.</value>
    [Range(1, 1 << 20)]
    [Setting(Unit = "updates")]
    public int MaxUpdatesPerEpoch { get; set; } = 100_000;

    /// <summary>The maximum total length of the keys and values in one epoch.</summary>
    [Range(1 << 20, 1 << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long MaxBytesPerEpoch { get; set; } = 64L << 20;

    /// <summary>The time for which the lease lasts without renewal. If the holder of the lease fails, a standby takes over after at most
    /// this time.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "00:10:00")]
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The time, in addition to the interval, after which the holder of the lease gives the lease up if it has not finished an epoch that
    /// is due. A standby then takes over. The holder checks this at each renewal of the lease, so it may take up to a third of the lease's
    /// duration longer. If a step hangs for the same time again, the process ends with exit code 3.
    /// </summary>
    /// <value>The default is two minutes.</value>
    [Range(typeof(TimeSpan), "00:00:01", "01:00:00")]
    public TimeSpan StallTimeout { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>The interval at which a standby tries to take the lease.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:01:00")]
    public TimeSpan LeasePollInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The time for which the task waits for the board's lock. After this time, its attempt to make an epoch counts as
    /// failed.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan BoardLockTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The greatest allowed difference between the wall clock and the database's clock, and between the wall clock and the
    /// monotonic clock. If a difference is greater, the task stops publishing.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:01:00")]
    public TimeSpan MaxClockDifference { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The number of newest epochs whose epoch bundles stay on disk. A replica that is restored from a backup reads older epochs from the
    /// database.
    /// </summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "epochs")]
    public int KeptBundles { get; set; } = 1000;

    /// <summary>
    /// The interval at which the task saves its trees to a snapshot in the data folder, from which the next start loads them. The task also
    /// saves them at once if the folder has no snapshot, and when it stops. If the interval is zero, the task saves no snapshots.
    /// </summary>
    /// <value>The default is one hour.</value>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan SnapshotInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The maximum number of old requests that the task deletes after each epoch.</summary>
    [Range(1, 100_000)]
    [Setting(Unit = "requests")]
    public int PurgedRequestsPerEpoch { get; set; } = 20_000;
}
