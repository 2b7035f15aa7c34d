using Optiks.Secrets;

namespace Optiks.Native;

/// <summary>Configures a new <see cref="KeyDirectory"/>.</summary>
public sealed record DirectoryOptions
{
    /// <summary>The secrets of the period. The directory copies them into locked memory; the caller disposes its own copy.</summary>
    public required DirectorySecrets Secrets { get; init; }

    /// <summary>
    /// The leaf log: a file that the directory creates, truncating an existing one. The directory appends all data of each leaf except its
    /// label.
    /// </summary>
    /// <value>The default is null, which selects an unnamed file in <c>$TMPDIR</c> or <c>/var/tmp</c>.</value>
    public string? LeafLogPath { get; init; }

    /// <summary>The values that the directory keeps.</summary>
    /// <value>The default is all values, so that the directory can answer lookups.</value>
    public KeptValues Values { get; init; }

    /// <summary>
    /// A folder that the directory creates and that nothing else uses. If it is set, the directory is in stored mode and keeps trees and
    /// keys in this folder instead of memory. Stored mode needs a <see cref="LeafLogPath"/> and liblmdb. The directory resumes at the last
    /// commit of the folder and the leaf log. If the folder or the leaf log is unusable (<see cref="NativeStatus.Io"/>), the caller can
    /// rebuild both from stored leaves.
    /// </summary>
    /// <value>The default is null, which selects linked mode, with trees and keys in memory.</value>
    public string? NodeStorePath { get; init; }

    /// <summary>The maximum size of the cache that holds parts of the trees in stored mode.</summary>
    public ulong NodeCacheBytes { get; init; }

    /// <summary>The maximum size of the cache of VRF proofs.</summary>
    /// <value>The default is 0, which means no cache.</value>
    public ulong VrfCacheBytes { get; init; }

    /// <summary>The period of the trees of the structures <c>devices</c> and <c>keys</c>.</summary>
    public ulong Period { get; init; }

    /// <summary>
    /// The first epoch of <see cref="Period"/>. The value is 0 for period 0, and for a later period that has not begun
    /// (<see cref="KeyDirectory.LoadCopies"/>).
    /// </summary>
    public ulong PeriodFirstEpoch { get; init; }

    /// <summary>
    /// Whether the configuration lets usernames be reassigned. If so, usernames have versions, one for each user that the username has led
    /// to (docs/spec/recycled-names.md).
    /// </summary>
    /// <value>The default is false, so that a username always leads to the same user.</value>
    public bool ReusesUsernames { get; init; }

    /// <summary>The longest value that the configuration allows, in bytes; the directory refuses longer values.</summary>
    public required uint MaxValueLength { get; init; }

    /// <summary>
    /// The number of threads that one call may use to make an epoch's labels, leaves or trees. The number includes the caller's thread and
    /// is at most 256.
    /// </summary>
    /// <value>The default is 1. The number of threads does not change the results.</value>
    public uint Threads { get; init; } = 1;

    /// <summary>
    /// The value of <see cref="Threads"/> that uses all processors. With this value, a start or an epoch takes the shortest time.
    /// </summary>
    public static uint AllProcessors => (uint)Math.Min(Environment.ProcessorCount, 256);
}
