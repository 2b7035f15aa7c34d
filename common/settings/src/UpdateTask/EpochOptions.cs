using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures how often epochs are made and how large they get (<c>Optiks:UpdateTask</c>). The settings may change at every start.
/// </summary>
internal sealed class EpochOptions
{
    public const string Section = "Optiks:UpdateTask";

    /// <summary>
    /// The interval in which at most one epoch begins. If more updates wait than one epoch takes, or an epoch took longer, the next one
    /// begins at once.
    /// </summary>
    /// <value>One second.</value>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan EpochInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The most updates in one epoch.</summary>
    /// <value>100,000.</value>
    [Range(1, 1 << 20)]
    [Setting(Unit = "updates")]
    public int MaxUpdatesPerEpoch { get; set; } = 100_000;

    /// <summary>The most bytes of keys and values in one epoch.</summary>
    [Range(1 << 20, 1 << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long MaxBytesPerEpoch { get; set; } = 64L << 20;

    /// <summary>How long the lease lasts without renewal: a standby takes over after at most this time.</summary>
    [Range(typeof(TimeSpan), "00:00:01", "00:10:00")]
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the holder of the lease may go without finishing an epoch that is due, beyond the interval. It then gives up the lease, so
    /// that a standby takes over; this is noticed at a renewal, within a third of the lease. A step that hangs for the same time again ends
    /// the process with exit code 3.
    /// </summary>
    /// <value>Two minutes.</value>
    [Range(typeof(TimeSpan), "00:00:01", "01:00:00")]
    public TimeSpan StallTimeout { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>The interval at which a standby tries to take the lease.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:01:00")]
    public TimeSpan LeasePollInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long to wait for the board's lock before the attempt counts as failed.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:10:00")]
    public TimeSpan BoardLockTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How far the wall clock may be from the database's and from the monotonic clock before publishing stops.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "00:01:00")]
    public TimeSpan MaxClockDifference { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The number of epochs whose bundles stay on disk. A replica that is restored from a backup reads older epochs from the database.
    /// </summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "epochs")]
    public int KeptBundles { get; set; } = 1000;

    /// <summary>
    /// The interval at which the trees are saved to the data folder, where the next start finds them. They are also saved at once if the
    /// folder has no snapshot, and when the task stops. Zero: never.
    /// </summary>
    /// <value>One hour.</value>
    [Range(typeof(TimeSpan), "00:00:00", "7.00:00:00")]
    public TimeSpan SnapshotInterval { get; set; } = TimeSpan.FromHours(1);

    /// <summary>The most old requests that are deleted after each epoch.</summary>
    [Range(1, 100_000)]
    [Setting(Unit = "requests")]
    public int PurgedRequestsPerEpoch { get; set; } = 20_000;
}
