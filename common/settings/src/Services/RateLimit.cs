using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits one kind of requests. Each caller has its own bucket, which holds at most <see cref="Burst"/> tokens and gains
/// <see cref="PerSecond"/> tokens each second.
/// </summary>
internal sealed class RateLimit
{
    /// <summary>The number of items that a caller may request each second on average. The value 0 means no limit.</summary>
    /// <value>The default is 0.</value>
    [Range(0, 1e6)]
    [Setting(Unit = "items a second")]
    public double PerSecond { get; set; }

    /// <summary>The number of items that a caller may request at once after a pause. The value 0 means the number of items of one second,
    /// but at least 1.</summary>
    /// <value>The default is 0.</value>
    [Range(0, 1_000_000)]
    [Setting(Unit = "items")]
    public int Burst { get; set; }
}
