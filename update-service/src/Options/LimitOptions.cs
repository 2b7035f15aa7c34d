using System.ComponentModel.DataAnnotations;
using Optiks.Protocol;

namespace Optiks.UpdateService.Options;

/// <summary>LimitOptions (<c>Optiks:Log</c>, shared with the update-task) hold where the log's own configuration cannot be read.</summary>
internal sealed class LimitOptions
{
    public const string Section = "Optiks:Log";

    /// <summary>MaxKeyLength in octets, where the log's own configuration cannot be read.</summary>
    [Range(1, ProtocolLimits.MaxKeyLength)]
    public int MaxKeyLength { get; set; } = ProtocolLimits.MaxKeyLength;

    /// <summary>MaxValueLength in octets, likewise.</summary>
    [Range(1, ProtocolLimits.MaxValueLength)]
    public int MaxValueLength { get; set; } = ProtocolLimits.DefaultMaxValueLength;
}
