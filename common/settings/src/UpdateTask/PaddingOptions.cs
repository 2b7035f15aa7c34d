using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// PaddingOptions (<c>Optiks:Padding</c>): each epoch's new leaves of a structure are made up to a multiple of this number with dummies, so that auditors and readers of the board learn a bucket and
/// not how many there were (docs/operations/padding.md). 0: no dummies. They may change at every start.
/// </summary>
internal sealed class PaddingOptions
{
    public const string Section = "Optiks:Padding";

    /// <summary>MaxBucket of a structure: each dummy costs a VRF output and a row.</summary>
    public const int MaxBucket = 4096;

    /// <summary>Usernames of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Usernames { get; set; }

    /// <summary>Devices: device lists of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Devices { get; set; }

    /// <summary>Keys of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Keys { get; set; }

    /// <summary>Decommissioned users of an epoch.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Decommissioned { get; set; }
}
