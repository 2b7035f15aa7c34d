using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>Configures the limits on waiting requests and on commits, and the end of the service (<c>Optiks:UpdateService</c>).</summary>
internal sealed class QueueOptions
{
    public const string Section = "Optiks:UpdateService";

    /// <summary>The number of requests that may wait for a commit. Further requests get 503. The requests of a single caller may take at
    /// most half of these places.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "callers")]
    public int QueuedCallers { get; set; } = 4096;

    /// <summary>
    /// The number of seconds for which an update may wait until its commit begins, for example because the database is slow. After this
    /// time the caller gets 503, and nothing of the update is stored.
    /// </summary>
    [Range(1, 300)]
    [Setting(Unit = "seconds")]
    public int MaxWaitSeconds { get; set; } = 10;

    /// <summary>The value of <see cref="MaxWaitSeconds"/> as a <see cref="TimeSpan"/>.</summary>
    internal TimeSpan MaxWait => TimeSpan.FromSeconds(MaxWaitSeconds);

    /// <summary>
    /// The maximum memory for all requests, from the first byte of each request until its answer. Each request counts with the received
    /// part of its body, or later with its keys, its values and the overhead of each update. A single caller gets at most half of this
    /// memory. If there are no other requests, a request of any size is accepted.
    /// </summary>
    [Range(1L << 20, 16L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long QueuedOctets { get; set; } = 64L << 20;

    /// <summary>The number of updates from which on a commit takes no further request.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int CommitUpdates { get; set; } = 4096;

    /// <summary>The number of bytes from which on a commit takes no further request.</summary>
    [Range(1L << 20, 1L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long CommitOctets { get; set; } = 16L << 20;

    /// <summary>
    /// The time for which the service continues to answer requests after it was told to stop, while <c>/health/ready</c> answers 503. It
    /// must be longer than a load balancer needs to notice the 503.
    /// </summary>
    /// <value>The default is one second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>A setting for receipts of updates (docs/spec/receipts.md).</summary>
    [ValidateObjectMembers]
    public ReceiptOptions Receipts { get; set; } = new();
}
