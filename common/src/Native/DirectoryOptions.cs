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

    /// <summary>Values that are kept.</summary>
    /// <value>All: lookups are answered.</value>
    public KeptValues Values { get; init; }

    /// <summary>
    /// NodeStorePath is a folder that the directory makes and has for itself: stored mode, with trees and keys in it instead of memory. Needs a <see cref="LeafLogPath"/>, and liblmdb. Both go on
    /// where they were committed last, and can be made again from stored leaves when they cannot be used: <see cref="NativeStatus.Io"/>.
    /// </summary>
    /// <value>Null: linked mode, trees and keys in memory.</value>
    public string? NodeStorePath { get; init; }

    /// <summary>NodeCacheBytes bounds the cache of parts of the trees in stored mode.</summary>
    public ulong NodeCacheBytes { get; init; }

    /// <summary>VrfCacheBytes bounds the cache of VRF proofs.</summary>
    /// <value>0: none.</value>
    public ulong VrfCacheBytes { get; init; }

    /// <summary>Period of the devices and keys trees.</summary>
    public ulong Period { get; init; }

    /// <summary>PeriodFirstEpoch is the period's first epoch; 0 in period 0, and in a later one that has not begun: <see cref="KeyDirectory.LoadCopies"/>.</summary>
    public ulong PeriodFirstEpoch { get; init; }

    /// <summary>ReusesUsernames of the configuration: usernames have versions, one for each user that they led to (docs/spec/recycled-names.md).</summary>
    /// <value>False: a username has one user.</value>
    public bool ReusesUsernames { get; init; }

    /// <summary>MaxValueLength of the configuration, in octets: longer values are refused.</summary>
    public required uint MaxValueLength { get; init; }

    /// <summary>Threads that one call for an epoch's labels, leaves or trees may use, the caller's among them; at most 256.</summary>
    /// <value>1. Whatever it is, the results are the same.</value>
    public uint Threads { get; init; } = 1;

    /// <summary>AllProcessors is as many threads as there are processors: a start, or an epoch, ends as soon as it can.</summary>
    public static uint AllProcessors => (uint)Math.Min(Environment.ProcessorCount, 256);
}
