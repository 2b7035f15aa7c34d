using System.Text;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Native;

/// <summary>
/// Keeps the four trees of a log in native memory, with the data for each key that a task or a replica needs. One thread at a time (the
/// writer) may load, prepare, stage and commit. Any number of threads may take and use views at the same time. The writer and the readers
/// never wait for each other. A view stays usable after the directory is disposed.
/// </summary>
public sealed partial class KeyDirectory : IDisposable
{
    private readonly DirectoryHandle _handle;

    private KeyDirectory(DirectoryHandle handle)
    {
        _handle = handle;
    }

    /// <summary>The counts of the directory's contents and of its use of memory and disk. Any thread may read this property.</summary>
    public DirectoryStats Stats
    {
        get
        {
            OptiksNativeException.ThrowIfFailed(
                DirectoryInterop.optiks_dir_stats(_handle, out DirectoryStats stats), nameof(DirectoryInterop.optiks_dir_stats));
            return stats;
        }
    }

    /// <summary>Makes an empty directory at epoch 0. In stored mode, opens the directory that the node store holds, at the last epoch
    /// committed there.</summary>
    public static KeyDirectory Create(DirectoryOptions options) => Make(options, null);

    /// <summary>
    /// Restores a directory from a file that <see cref="DirectoryView.Save"/> wrote, at the epoch of the file. The directory continues with
    /// the leaf log that the file names, cut to its length at the time of saving. Only checksums protect the trees in the file, so the
    /// caller must compare <see cref="States"/> with the epoch's signed record. Throws with <see cref="NativeStatus.Data"/> if the file is
    /// damaged or has an unknown format, or if the file was written with other secrets, another period or other kept values than the
    /// options say. Throws with <see cref="NativeStatus.Io"/> if the file or its leaf log cannot be read, or if the leaf log belongs to
    /// another file. In stored mode, throws with <see cref="NativeStatus.State"/> if the node store already holds a directory, and checks
    /// the restored directory as <see cref="Check"/> does. After a failure in stored mode, the node store is unusable.
    /// </summary>
    /// <param name="options">The options of the directory, which must have a <see cref="DirectoryOptions.LeafLogPath"/>.</param>
    /// <param name="path">The file.</param>
    public static KeyDirectory Restore(DirectoryOptions options, string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return Make(options, path);
    }

    /// <summary>
    /// Reads the whole leaf log and recomputes all hashes of the trees. Programs call this method after they restored a snapshot from
    /// another machine. Throws <see cref="OptiksNativeException"/> (<see cref="NativeStatus.Data"/>, <see cref="NativeStatus.Io"/>) unless
    /// trees, records, values and the key table agree with each other and with <see cref="States"/>. The directory must be in linked mode:
    /// in stored mode, <see cref="Restore"/> makes this check. Only the writer may call this method.
    /// </summary>
    public void Check() =>
        OptiksNativeException.ThrowIfFailed(DirectoryInterop.optiks_dir_check(_handle), nameof(DirectoryInterop.optiks_dir_check));

    private static unsafe KeyDirectory Make(DirectoryOptions options, string? snapshot)
    {
        ArgumentNullException.ThrowIfNull(options);
        var native = new DirectoryInterop.DirOptions
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
                options.Secrets.VrfSecret(structure)
                    .CopyTo(new Span<byte>(native.VrfSecret + (i * Lengths.VrfSecretKey), Lengths.VrfSecretKey));
                options.Secrets.TagKey(structure)
                    .CopyTo(new Span<byte>(native.TagKey + (i * DirectorySecrets.TagKeyLength), DirectorySecrets.TagKeyLength));
            }
            fixed (byte* pinned = path, pinnedNodes = nodes)
            {
                native.LeafLogPath = pinned;
                native.NodeStorePath = pinnedNodes;
                nint handle;
                if (snapshot is null)
                {
                    OptiksNativeException.ThrowIfFailed(
                        DirectoryInterop.optiks_dir_create(&native, out handle), nameof(DirectoryInterop.optiks_dir_create));
                }
                else
                {
                    OptiksNativeException.ThrowIfFailed(
                        DirectoryInterop.optiks_dir_restore(&native, snapshot, out handle), nameof(DirectoryInterop.optiks_dir_restore));
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
    /// Appends stored leaves at start-up, without proofs. Each call has the leaves of whole epochs, in the order of epochs and ordinals.
    /// The parameter <paramref name="epoch"/> is the last of these epochs. After the last call, the caller calls <see cref="EndLoad"/>.
    /// Until then, the caller must not call other methods, and no view may exist. The call is not atomic: after a failure, the caller must
    /// dispose the directory. Throws with <see cref="NativeStatus.Data"/> or <see cref="NativeStatus.Duplicate"/> if stored data
    /// contradicts itself. Only the writer may call this method.
    /// </summary>
    public void Load(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values) =>
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_load(_handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length),
            nameof(DirectoryInterop.optiks_dir_load));

    /// <summary>
    /// Ends the loading of leaves. In stored mode, this call writes all loaded leaves to the new node store, which takes about as long as
    /// <see cref="Restore"/>. The call may find contradictions among the leaves that <see cref="Load"/> did not find; it then throws the
    /// same exceptions. If the process dies before the call returns, the node store is empty or unusable (<see cref="NativeStatus.Io"/>).
    /// Only the writer may call this method.
    /// </summary>
    public void EndLoad() =>
        OptiksNativeException.ThrowIfFailed(DirectoryInterop.optiks_dir_load_end(_handle), nameof(DirectoryInterop.optiks_dir_load_end));

    /// <summary>
    /// Reduces the memory of a directory that is seldom read from now on. It then caches no VRF proofs and, in stored mode, at most the
    /// given number of bytes of its trees. Views that were taken before keep the memory of the cached proofs in use; returns false as long
    /// as there are such views, and the caller then repeats the call later. Only the writer may call this method.
    /// </summary>
    public bool TryShrink(long nodeCacheBytes)
    {
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_shrink(_handle, (ulong)nodeCacheBytes, out int isDone), nameof(DirectoryInterop.optiks_dir_shrink));
        return isDone != 0;
    }

    /// <summary>
    /// Writes the latest committed version of each key to <paramref name="versions"/>, or 0 if the key has no version. In a structure
    /// without versions, the version of an existing key is 1. The version of a reassignable username is the number of users that the
    /// username has had. Only the writer may call this method.
    /// </summary>
    public void Versions(ReadOnlySpan<StructureId> structures, ByteStrings keys, Span<ulong> versions)
    {
        CheckBatch(structures, keys);
        CheckLength(versions.Length, keys.Count, nameof(versions));
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_versions(_handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, versions),
            nameof(DirectoryInterop.optiks_dir_versions));
    }

    /// <summary>
    /// Returns the latest committed value of each key, or null if the key has no value or its value was erased. Throws with
    /// <see cref="NativeStatus.State"/> unless the directory keeps the structure's values. Only the writer may call this method.
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
            status = DirectoryInterop.optiks_dir_newest_values(
                _handle, (byte)structure, (nuint)keys.Count, keys.Blob, keys.Offsets, octets, (nuint)octets.Length, out nuint length,
                ends, kept);
            if (status != (int)NativeStatus.Buffer)
            {
                break;
            }
            octets = new byte[checked((int)length)];
        }
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_dir_newest_values));
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
    /// Writes the labels (<see cref="Lengths.Hash"/> bytes each) and epochs of a key's committed leaves: one leaf for each element of
    /// <paramref name="epochs"/>. The parameter <paramref name="from"/> is the version of the first leaf. In a structure without versions,
    /// only version 0 exists. Returns false if the key does not have all of these versions. Only the writer may call this method.
    /// </summary>
    public bool TryLeaves(StructureId structure, ReadOnlySpan<byte> key, ulong from, Span<byte> labels, Span<ulong> epochs)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * epochs.Length, nameof(labels));
        int status = DirectoryInterop.optiks_dir_leaves(
            _handle, (byte)structure, key, (nuint)key.Length, from, (nuint)epochs.Length, labels, epochs);
        if (status == (int)NativeStatus.Data)
        {
            return false;
        }
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_dir_leaves));
        return true;
    }

    /// <summary>
    /// Destroys the values of committed leaves; the caller names each leaf by structure and label (<see cref="Lengths.Hash"/> bytes each).
    /// When the call returns, the erasure is on the disk, and no later answer from any view contains the values. The caller makes an
    /// epoch's erasures before it commits the epoch. If a leaf does not exist, throws with <see cref="NativeStatus.Data"/> and erases
    /// nothing. Repeating an erasure changes nothing. Only the writer may call this method.
    /// </summary>
    public void Erase(ReadOnlySpan<StructureId> structures, ReadOnlySpan<byte> labels)
    {
        CheckLength(labels.Length, (long)Lengths.Hash * structures.Length, nameof(labels));
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_erase(_handle, (nuint)structures.Length, Octets(structures), labels, []),
            nameof(DirectoryInterop.optiks_dir_erase));
    }

    /// <summary>
    /// Computes the labels of the next leaves of these keys before <see cref="Prepare"/> needs them, for example while the previous epoch
    /// is being committed. The next call of <see cref="Prepare"/> uses all labels computed since the previous call of
    /// <see cref="Prepare"/>. The labels are only a cache: <see cref="Prepare"/> makes the same leaves without them. One thread at a time
    /// may call this method, also while the writer works.
    /// </summary>
    public void PrecomputeLabels(ReadOnlySpan<StructureId> structures, ByteStrings keys)
    {
        CheckBatch(structures, keys);
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_precompute_labels(_handle, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets),
            nameof(DirectoryInterop.optiks_dir_precompute_labels));
    }

    /// <summary>
    /// Makes the leaves of the next epoch, in ordinal order. Each leaf has the index of its update and the offset of its value in
    /// <paramref name="values"/>. The call does not change the directory. Throws with <see cref="NativeStatus.Duplicate"/> if a key occurs
    /// twice. Only the writer may call this method.
    /// </summary>
    public void Prepare(ulong epoch, ReadOnlySpan<StructureId> structures, ByteStrings keys, ByteStrings values, Span<LeafRow> leaves)
    {
        CheckBatch(structures, keys);
        CheckLength(values.Count, keys.Count, nameof(values));
        CheckLength(leaves.Length, keys.Count, nameof(leaves));
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_prepare(
                _handle, epoch, (nuint)keys.Count, Octets(structures), keys.Blob, keys.Offsets, values.Blob, values.Offsets, leaves),
            nameof(DirectoryInterop.optiks_dir_prepare));
    }

    /// <summary>
    /// Builds the trees of the next epoch (the directory's epoch + 1) next to the current trees. No reader sees the new trees until
    /// <see cref="StagedEpoch.Commit"/>. Only one staged epoch may exist at a time. Only the writer may call this method.
    /// </summary>
    public StagedEpoch Stage(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs)
    {
        int status = DirectoryInterop.optiks_dir_stage(
            _handle, epoch, leaves, (nuint)leaves.Length, values, (nuint)values.Length, withProofs ? 1 : 0, out nint staged);
        OptiksNativeException.ThrowIfFailed(status, nameof(DirectoryInterop.optiks_dir_stage));
        return new StagedEpoch(epoch, new StagedHandle(staged, _handle));
    }

    /// <summary>Returns the roots, counts and VRF public keys of the current epoch, and the epoch's number. Any thread may call this
    /// method.</summary>
    public StructureState[] States(out ulong epoch)
    {
        Span<byte> octets = stackalloc byte[StructureState.TotalLength];
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_states(_handle, out epoch, octets), nameof(DirectoryInterop.optiks_dir_states));
        return StructureState.DecodeAll(octets);
    }

    /// <summary>Returns a view of the current epoch. Any thread may call this method, which never waits.</summary>
    public DirectoryView TakeView()
    {
        OptiksNativeException.ThrowIfFailed(
            DirectoryInterop.optiks_dir_view(_handle, out nint view), nameof(DirectoryInterop.optiks_dir_view));
        return new DirectoryView(new ViewHandle(view));
    }

    /// <inheritdoc/>
    public void Dispose() => _handle.Dispose();

    private static byte[]? Terminated(string? path) => path is null ? null : Encoding.UTF8.GetBytes(path + '\0');

    private static ReadOnlySpan<byte> Octets(ReadOnlySpan<StructureId> structures) =>
        System.Runtime.InteropServices.MemoryMarshal.AsBytes(structures);

    private static void CheckBatch(ReadOnlySpan<StructureId> structures, ByteStrings keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        CheckLength(structures.Length, keys.Count, nameof(structures));
    }

    // The native library cannot check these lengths and trusts them, so a wrong length must not reach it.
    private static void CheckLength(long actual, long expected, string name)
    {
        if (actual != expected)
        {
            throw new ArgumentException($"{expected} elements are needed, not {actual}.", name);
        }
    }
}
