using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>QueueOptions (<c>Optiks:UpdateService</c>) bound what waits for a commit, and a commit; and say how the service ends.</summary>
internal sealed class QueueOptions
{
    public const string Section = "Optiks:UpdateService";

    /// <summary>Requests that may wait for a commit; further ones get 503. One caller gets at most half of it.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "callers")]
    public int QueuedCallers { get; set; } = 4096;

    /// <summary>Seconds that an update may wait for its commit to begin, behind a database that hardly moves; then its caller gets 503 and nothing is stored.</summary>
    [Range(1, 300)]
    [Setting(Unit = "seconds")]
    public int MaxWaitSeconds { get; set; } = 10;

    /// <summary>MaxWait is <see cref="MaxWaitSeconds"/>.</summary>
    internal TimeSpan MaxWait => TimeSpan.FromSeconds(MaxWaitSeconds);

    /// <summary>Octets of all requests from their first octet to their answer: of the body as far as it has come, or of keys and values with what an update costs beside them. One caller gets at most half of it; one request is taken whatever its size when there is no other.</summary>
    [Range(1L << 20, 16L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long QueuedOctets { get; set; } = 64L << 20;

    /// <summary>Updates after which a commit takes no further caller.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int CommitUpdates { get; set; } = 4096;

    /// <summary>Octets after which a commit takes no further caller.</summary>
    [Range(1L << 20, 1L << 30)]
    [Setting(Unit = SettingAttribute.Octets)]
    public long CommitOctets { get; set; } = 16L << 20;

    /// <summary>DrainTime is how long the service goes on answering after it was told to stop, while readiness says 503: longer than a load balancer takes to notice.</summary>
    /// <value>One second.</value>
    [Range(typeof(TimeSpan), "00:00:00", "00:00:10")]
    public TimeSpan DrainTime { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Receipts of updates (docs/spec/receipts.md):</summary>
    [ValidateObjectMembers]
    public ReceiptOptions Receipts { get; set; } = new();
}
