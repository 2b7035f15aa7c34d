using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures padding (<c>Optiks:Padding</c>): in each epoch, dummies pad the new leaves of a structure to a multiple of its number here.
/// Auditors and readers of the board then learn a bucket and not the real number (docs/operations/padding.md). 0: no dummies. The settings
/// may change at every start.
/// </summary>
internal sealed class PaddingOptions
{
    public const string Section = "Optiks:Padding";

    /// <summary>The largest bucket of a structure: each dummy costs a VRF output and a row.</summary>
    public const int MaxBucket = 4096;

    /// <summary>The bucket for an epoch's usernames.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Usernames { get; set; }

    /// <summary>The bucket for an epoch's device lists.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Devices { get; set; }

    /// <summary>The bucket for an epoch's keys.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Keys { get; set; }

    /// <summary>The bucket for an epoch's decommissioned users.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Decommissioned { get; set; }
}
