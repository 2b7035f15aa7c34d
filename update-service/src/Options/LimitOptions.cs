using System.ComponentModel.DataAnnotations;

namespace Optiks.UpdateService.Options;

/// <summary>LimitOptions (<c>Optiks:Log</c>, shared with the update-task) hold where the log's own configuration cannot be read.</summary>
internal sealed class LimitOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>MaxKeyLength in octets, where the log's own configuration cannot be read.</summary>
    [Range(1, 255)]
    public int MaxKeyLength { get; set; } = 255;

    /// <summary>MaxValueLength in octets, likewise.</summary>
    [Range(1, 1 << 20)]
    public int MaxValueLength { get; set; } = 65_536;
}
