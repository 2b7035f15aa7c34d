using System.Text;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Native;

/// <summary>
/// KeyDirectory is the four trees of a log with what a task or a replica needs per key, all of it in native memory.
/// One thread at a time may load, prepare, stage and commit (the writer); any number of threads may take and use views meanwhile, and
/// neither waits for the other. Snapshots outlive the directory.
/// </summary>
public sealed partial class KeyDirectory : IDisposable
{
    private readonly DirectoryHandle _handle;

    private KeyDirectory(DirectoryHandle handle)
    {
        _handle = handle;
    }

    /// <summary>Stats counts what the directory holds and uses. Any thread.</summary>
    public DirectoryStats Stats
    {
        get
        {
            OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_stats(_handle, out DirectoryStats stats), nameof(Interop.optiks_dir_stats));
            return stats;
        }
    }

    /// <summary>Create makes an empty directory at epoch 0; in stored mode the one that its node store holds, at that epoch.</summary>
    public static KeyDirectory Create(DirectoryOptions options) => Make(options, null);

    /// <summary>
    /// Restore makes the directory of a file that <see cref="DirectoryView.Save"/> wrote, at its epoch, and goes on with its leaf log, which is cut to its length of then. Nothing but
    /// checksums says that its trees are the log's: the caller compares <see cref="States"/> with the epoch's signed record. <see cref="NativeStatus.Data"/>: the file is damaged, of another format, or of
    /// other secrets, another period or other values kept than the options say; <see cref="NativeStatus.Io"/>: it or its leaf log cannot be read, or is another one. In stored mode it is made in a node
    /// store that has none yet (<see cref="NativeStatus.State"/>) and checked as by <see cref="Check"/>; after a failure the node store is of no use.
    /// </summary>
    /// <param name="options">Options with a <see cref="DirectoryOptions.LeafLogPath"/>.</param>
    /// <param name="path">The file.</param>
    public static KeyDirectory Restore(DirectoryOptions options, string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return Make(options, path);
    }

    /// <summary>
    /// Check reads all of the leaf log and computes all hashes of the trees again, for a snapshot that came from elsewhere. Throws <see cref="OptiksNativeException"/> (<see cref="NativeStatus.Data"/>,
    /// <see cref="NativeStatus.Io"/>) unless trees, records, values and the table of keys agree with each other and with <see cref="States"/>. Linked mode only, as <see cref="Restore"/> does so in stored mode. Writer only.
    /// </summary>
    public void Check() => OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_check(_handle), nameof(Interop.optiks_dir_check));

    private static unsafe KeyDirectory Make(DirectoryOptions options, string? snapshot)
    {
        ArgumentNullException.ThrowIfNull(options);
        var native = new Interop.DirOptions
        {
            VrfCacheBytes = options.VrfCacheBytes,
            Period = options.Period,
            PeriodFirstEpoch = options.PeriodFirstEpoch,
            MaxValueLen = options.MaxValueLength,
            KeptValues = options.Values,
            Threads = options.Threads,
            UsernameReuse = options.ReusesUsernames ? 1u : 0u,
            NodeCacheBytes = options.NodeCacheBytes,
        };
        byte[]? path = Terminated(options.LeafLogPath);
        byte[]? nodes = Terminated(options.NodeStorePath);
        try
        {
            for (int i = 0; i < Structures.Count; i++)
            {
                var structure = (StructureId)(i + 1);
                options.Secrets.VrfSecret(structure).CopyTo(new Span<byte>(native.VrfSecret + (i * Lengths.VrfSecretKey), Lengths.VrfSecretKey));
                options.Secrets.TagKey(structure).CopyTo(new Span<byte>(native.TagKey + (i * DirectorySecrets.TagKeyLength), DirectorySecrets.TagKeyLength));
            }
            fixed (byte* pinned = path, pinnedNodes = nodes)
            {
                native.LeafLogPath = pinned;
                native.NodeStorePath = pinnedNodes;
                nint handle;
                if (snapshot is null)
                {
                    OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_create(&native, out handle), nameof(Interop.optiks_dir_create));
                }
                else
                {
                    OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_restore(&native, snapshot, out handle), nameof(Interop.optiks_dir_restore));
                }
                return new KeyDirectory(new DirectoryHandle(handle));
            }
        }
        finally
        {
            var copy = new Span<byte>(native.VrfSecret, DirectorySecrets.Length);
            Interop.optiks_zeroize(copy, (nuint)copy.Length);
        }
    }

    /// <summary>
    /// Load appends the stored leaves of whole epochs, in (epoch, ordinal) order and without proofs: start-up. After the last call and <see cref="EndLoad"/>
    /// <paramref name="epoch"/> is the directory's; nothing else is done with it before, and no view may be alive or taken. Not atomic: dispose the directory after a failure. Stored data that
    /// contradicts itself is <see cref="NativeStatus.Data"/> or <see cref="NativeStatus.Duplicate"/>. Writer only.
    /// </summary>
    public void Load(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values) =>
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_load(_handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length), nameof(Interop.optiks_dir_load));

    /// <summary>
    /// EndLoad ends the loading. The first leaves of a node store are put into it here, all together, which takes about as long as <see cref="Restore"/>; what contradicts what of them may show only
    /// now, as in <see cref="Load"/>. A process that dies before the end leaves a node store that is empty or of no use (<see cref="NativeStatus.Io"/>). Writer only.
    /// </summary>
    public void EndLoad() => OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_load_end(_handle), nameof(Interop.optiks_dir_load_end));

    /// <summary>Versions writes the latest committed version of each key, 0 for none; of a structure whose keys have no versions 1 for a key that is there. Of usernames that are used again it is the number of their users. Writer only.</summary>
    public void Versions(ReadOnlySpan<StructureId> structures, ByteStrings keys, Span<ulong> versions)
    {
        CheckBatch(structures, keys);
        CheckLength(versions.Length, keys.Count, nameof(versions));
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_versions(_handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, versions), nameof(Interop.optiks_dir_versions));
    }

    /// <summary>
    /// NewestValues gives the latest committed value of each key; null where the key has none, or it was erased. <see cref="NativeStatus.State"/> unless the directory keeps the structure's values.
    /// Writer only.
    /// </summary>
    public ReadOnlyMemory<byte>?[] NewestValues(StructureId structure, ByteStrings keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        ulong[] ends = new ulong[keys.Count];
        byte[] kept = new byte[keys.Count];
        byte[] octets = [];
        int status;
        while (true)
        {
            status = Interop.optiks_dir_newest_values(
                _handle, (byte)structure, (nuint)keys.Count, keys.Blob, keys.Offsets, octets, (nuint)octets.Length, out nuint length, ends, kept);
            if (status != (int)NativeStatus.Buffer)
            {
                break;
            }
            octets = new byte[checked((int)length)];
        }
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_dir_newest_values));
        var values = new ReadOnlyMemory<byte>?[keys.Count];
        int start = 0;
        for (int i = 0; i < values.Length; i++)
        {
            int end = (int)ends[i];
            if (kept[i] != 0)
            {
                values[i] = octets.AsMemory(start..end);
            }
            start = end;
        }
        return values;
    }

    /// <summary>
    /// TryLeaves writes labels (<see cref="Lengths.Hash"/> octets each) and epochs of the committed leaves of versions of a key, <paramref name="from"/> and those after it; in a structure without versions of 0 alone.
    /// False: the key has not all of them. Writer only.
    /// </summary>
    public bool TryLeaves(StructureId structure, ReadOnlySpan<byte> key, ulong from, Span<byte> labels, Span<ulong> epochs)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * epochs.Length, nameof(labels));
        int status = Interop.optiks_dir_leaves(_handle, (byte)structure, key, (nuint)key.Length, from, (nuint)epochs.Length, labels, epochs);
        if (status == (int)NativeStatus.Data)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_dir_leaves));
        return true;
    }

    /// <summary>
    /// Erase destroys the values of committed leaves, named by structure and label (<see cref="Lengths.Hash"/> octets each): on the disk on return, and in no answer that begins afterwards, of whatever view. What an epoch erases
    /// is erased before it is committed. <see cref="NativeStatus.Data"/>: one is not there, and none was erased. Erasing again changes nothing. Writer only.
    /// </summary>
    public void Erase(ReadOnlySpan<StructureId> structures, ReadOnlySpan<byte> labels)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * structures.Length, nameof(labels));
        OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_erase(_handle, (nuint)structures.Length, Octets(structures), labels, []), nameof(Interop.optiks_dir_erase));
    }

    /// <summary>
    /// Expect computes the labels of the next leaves of these keys ahead of the <see cref="Prepare"/> that will want them, for example while the epoch before is being
    /// committed. A cache for that one call, which finds what was expected since the last: leaves are the same without it. Beside the writer: any thread, one at a time.
    /// </summary>
    public void PrecomputeLabels(ReadOnlySpan<StructureId> structures, ByteStrings keys)
    {
        CheckBatch(structures, keys);
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_precompute_labels(_handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets), nameof(Interop.optiks_dir_precompute_labels));
    }

    /// <summary>
    /// Prepare makes the leaves of the next epoch, in ordinal order, each with the index of its update and its value's offset in
    /// <paramref name="values"/>. Changes nothing. A key twice is <see cref="NativeStatus.Duplicate"/>. Writer only.
    /// </summary>
    public void Prepare(ulong epoch, ReadOnlySpan<StructureId> structures, ByteStrings keys, ByteStrings values, Span<LeafRow> leaves)
    {
        CheckBatch(structures, keys);
        CheckLength(values.Count, keys.Count, nameof(values));
        CheckLength(leaves.Length, keys.Count, nameof(leaves));
        OptiksNativeException.ThrowIfFailed(
            Interop.optiks_dir_prepare(_handle, epoch, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, values.Blob, values.Offsets, leaves),
            nameof(Interop.optiks_dir_prepare));
    }

    /// <summary>
    /// Stage builds the trees of the next epoch (the directory's + 1) beside the current ones; nothing is visible until
    /// <see cref="StagedEpoch.Commit"/>. One staged epoch at a time. Writer only.
    /// </summary>
    public StagedEpoch Stage(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs)
    {
        int status = Interop.optiks_dir_stage(
            _handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length, withProofs ? 1 : 0, out nint staged);
        OptiksNativeException.ThrowIfFailed(status, nameof(Interop.optiks_dir_stage));
        return new StagedEpoch(epoch, new StagedHandle(staged, _handle));
    }

    /// <summary>States are the current roots, counts and VRF public keys, and their epoch. Any thread.</summary>
    public StructureState[] States(out ulong epoch)
    {
        Span<byte> octets = stackalloc byte[StructureState.TotalLength];
        OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_states(_handle, out epoch, octets), nameof(Interop.optiks_dir_states));
        return StructureState.DecodeAll(octets);
    }

    /// <summary>TakeView gives a view of the current epoch. Any thread, without waiting.</summary>
    public DirectoryView TakeView()
    {
        OptiksNativeException.ThrowIfFailed(Interop.optiks_dir_view(_handle, out nint view), nameof(Interop.optiks_dir_view));
        return new DirectoryView(new ViewHandle(view));
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();

    private static byte[]? Terminated(string? path) => path is null ? null : Encoding.UTF8.GetBytes(path + '\0');

    private static ReadOnlySpan<byte> Octets(ReadOnlySpan<StructureId> structures) => System.Runtime.InteropServices.MemoryMarshal.AsBytes(structures);

    private static void CheckBatch(ReadOnlySpan<StructureId> structures, ByteStrings keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        CheckLength(structures.Length, keys.Count, nameof(structures));
    }

    // The library trusts lengths that it cannot see, so a wrong one must not get there.
    private static void CheckLength(long actual, long expected, string name)
    {
        if (actual != expected)
        {
            throw new ArgumentException($"{expected} elements are needed, not {actual}.", name);
        }
    }
}
