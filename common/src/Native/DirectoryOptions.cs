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
    /// <value>Null: an unnamed file in <c>$TMPDIR</c> or <c>/var/tmp</c>.</value>
    public string? LeafLogPath { get; init; }

    /// <summary>The values that the directory keeps.</summary>
    /// <value>All: the directory answers lookups.</value>
    public KeptValues Values { get; init; }

    /// <summary>
    /// A folder that the directory creates for itself alone. It selects stored mode, with trees and keys in this folder instead of memory.
    /// Needs a <see cref="LeafLogPath"/> and liblmdb. The folder and the leaf log resume at their last commit. If the folder or the leaf
    /// log is unusable (<see cref="NativeStatus.Io"/>), the caller can rebuild both from stored leaves.
    /// </summary>
    /// <value>Null: linked mode, with trees and keys in memory.</value>
    public string? NodeStorePath { get; init; }

    /// <summary>The bound on the cache of parts of the trees in stored mode.</summary>
    public ulong NodeCacheBytes { get; init; }

    /// <summary>The bound on the cache of VRF proofs.</summary>
    /// <value>0: no cache.</value>
    public ulong VrfCacheBytes { get; init; }

    /// <summary>The period of the devices and keys trees.</summary>
    public ulong Period { get; init; }

    /// <summary>
    /// The period's first epoch. It is 0 in period 0, and in a later period that has not begun (<see cref="KeyDirectory.LoadCopies"/>).
    /// </summary>
    public ulong PeriodFirstEpoch { get; init; }

    /// <summary>
    /// Whether the configuration lets usernames be reassigned. If so, usernames have versions, one for each user that the username has led
    /// to (docs/spec/recycled-names.md).
    /// </summary>
    /// <value>False: a username has one user.</value>
    public bool ReusesUsernames { get; init; }

    /// <summary>The longest value that the configuration allows, in bytes; the directory refuses longer values.</summary>
    public required uint MaxValueLength { get; init; }

    /// <summary>
    /// The number of threads that one call for an epoch's labels, leaves or trees may use, including the caller's; at most 256.
    /// </summary>
    /// <value>1. The results are the same for every number.</value>
    public uint Threads { get; init; } = 1;

    /// <summary>
    /// The number of processors, as a value of <see cref="Threads"/>. With this number, a start or an epoch takes the shortest time.
    /// </summary>
    public static uint AllProcessors => (uint)Math.Min(Environment.ProcessorCount, 256);
}
