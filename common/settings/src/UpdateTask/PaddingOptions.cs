using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures padding (<c>Optiks:Padding</c>; docs/operations/padding.md). In each epoch, the task adds dummy leaves to a structure until
/// the number of its new leaves is a multiple of the structure's setting, the bucket. Auditors and readers of the board then learn only
/// this multiple, not the real number. The value 0 means no dummy leaves. The settings may change at every start.
/// </summary>
internal sealed class PaddingOptions
{
    public const string Section = "Optiks:Padding";

    /// <summary>The largest bucket of a structure. It limits the cost, because each dummy leaf needs a VRF output and a row in the
    /// database.</summary>
    public const int MaxBucket = 4096;

    /// <summary>The bucket for the new usernames of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Usernames { get; set; }

    /// <summary>The bucket for the new device lists of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Devices { get; set; }

    /// <summary>The bucket for the new versions of keys of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Keys { get; set; }

    /// <summary>The bucket for the newly decommissioned users of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Decommissioned { get; set; }
}
