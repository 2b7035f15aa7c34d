using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>Configures the limits on waiting requests and on commits, and how the service ends (<c>Optiks:UpdateService</c>).</summary>
internal sealed class QueueOptions
{
    public const string Section = "Optiks:UpdateService";

    /// <summary>The number of requests that may wait for a commit; further ones get 503. One caller gets at most half of it.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "callers")]
    public int QueuedCallers { get; set; } = 4096;

    /// <summary>
    /// How many seconds an update may wait for its commit to begin, behind a slow database. After that its caller gets 503 and nothing is
    /// stored.
    /// </summary>
    [Range(1, 300)]
    [Setting(Unit = "seconds")]
    public int MaxWaitSeconds { get; set; } = 10;

    /// <summary>The value of <see cref="MaxWaitSeconds"/>.</summary>
    internal TimeSpan MaxWait => TimeSpan.FromSeconds(MaxWaitSeconds);

    /// <summary>
    /// The most memory for all requests from their first byte to their answer. It counts the received part of each body, or keys and values
    /// with the overhead of each update. One caller gets at most half of it; a single request of any size is accepted if there is no other.
    /// </summary>
    [Range(1L << 20, 16L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long QueuedOctets { get; set; } = 64L << 20;

    /// <summary>The number of updates after which a commit takes no further caller.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int CommitUpdates { get; set; } = 4096;

    /// <summary>The number of bytes after which a commit takes no further caller.</summary>
    [Range(1L << 20, 1L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long CommitOctets { get; set; } = 16L << 20;

    /// <summary>
    /// How long the service continues to answer after it was told to stop, while readiness reports 503. It must be longer than a load
    /// balancer takes to notice.
    /// </summary>
    /// <value>One second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Receipts of updates (docs/spec/receipts.md):</summary>
    [ValidateObjectMembers]
    public ReceiptOptions Receipts { get; set; } = new();
}
