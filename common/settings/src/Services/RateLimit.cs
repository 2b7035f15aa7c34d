using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Limits one kind of requests for each caller separately, with a bucket that holds <see cref="Burst"/> tokens and gains
/// <see cref="PerSecond"/> tokens each second.
/// </summary>
internal sealed class RateLimit
{
    /// <summary>The rate in items a second; 0: no limit.</summary>
    /// <value>0.</value>
    [Range(0, 1e6)]
    [Setting(Unit = "items a second")]
    public double PerSecond { get; set; }

    /// <summary>The items that a caller may have at once after a pause; 0: those of one second, at least 1.</summary>
    /// <value>0.</value>
    [Range(0, 1_000_000)]
    [Setting(Unit = "items")]
    public int Burst { get; set; }
}
