using Optiks.Secrets;

namespace Optiks.Native;

/// <summary>DirectoryOptions says how a <see cref="KeyDirectory"/> is made.</summary>
public sealed record DirectoryOptions
{
    /// <summary>Secrets of the period. Copied into locked memory; the caller disposes its own copy.</summary>
    public required DirectorySecrets Secrets { get; init; }

    /// <summary>LeafLogPath is a file that the directory creates, truncating what is there, and appends all to that it reads of single leaves.</summary>
    /// <value>Null: one without a name, in <c>$TMPDIR</c> or <c>/var/tmp</c>.</value>
    public string? LeafLogPath { get; init; }

    /// <summary>WithoutValues: values are not kept, and lookups are not answered.</summary>
    public bool WithoutValues { get; init; }

    /// <summary>VrfCacheBytes bounds the cache of VRF proofs.</summary>
    /// <value>0: none.</value>
    public ulong VrfCacheBytes { get; init; }

    /// <summary>Period of the devices and keys trees.</summary>
    public ulong Period { get; init; }

    /// <summary>PeriodFirstEpoch is the period's first epoch; 0 in period 0.</summary>
    public ulong PeriodFirstEpoch { get; init; }

    /// <summary>MaxValueLength of the configuration, in octets: longer values are refused.</summary>
    public required uint MaxValueLength { get; init; }
}
