using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>RateLimit of one kind, for each caller by itself: a bucket that holds <see cref="Burst"/> tokens and gains <see cref="PerSecond"/> of them a second.</summary>
internal sealed class RateLimit
{
    /// <summary>PerSecond is the rate in items a second; 0: no limit.</summary>
    /// <value>0.</value>
    [Range(0, 1e6)]
    [Setting(Unit = "items a second")]
    public double PerSecond { get; set; }

    /// <summary>Burst in items that a caller who was quiet may have at once; 0: those of one second, at least 1.</summary>
    /// <value>0.</value>
    [Range(0, 1_000_000)]
    [Setting(Unit = "items")]
    public int Burst { get; set; }
}
