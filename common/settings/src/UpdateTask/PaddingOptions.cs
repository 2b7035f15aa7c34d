using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures padding (<c>Optiks:Padding</c>; docs/operations/padding.md). In each epoch, the task adds dummy leaves to a structure until
/// the number of the structure's new leaves is a multiple of the structure's setting. Auditors and readers of the board then learn only
/// this multiple, not the real number. If a setting is 0, the task adds no dummy leaves to that structure. The settings may change at every
/// start.
/// </summary>
internal sealed class PaddingOptions
{
    public const string Section = "Optiks:Padding";

    /// <summary>The largest value of each setting. It limits the cost of padding, because each dummy leaf needs a VRF output and a row in
    /// the database.</summary>
    public const int MaxBucket = 4096;

    /// <summary>The task rounds the number of new usernames in each epoch up to a multiple of this value.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Usernames { get; set; }

    /// <summary>The task rounds the number of new device lists in each epoch up to a multiple of this value.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Devices { get; set; }

    /// <summary>The task rounds the number of new versions of keys in each epoch up to a multiple of this value.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Keys { get; set; }

    /// <summary>The task rounds the number of newly decommissioned users in each epoch up to a multiple of this value.</summary>
    [Range(0, MaxBucket)]
    [Setting(Unit = "leaves")]
    public int Decommissioned { get; set; }
}
