using System.Diagnostics.CodeAnalysis;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage;

/// <summary>
/// Fills a directory with stored leaves and compares it with an epoch's record. Like the directory's writer, it must be used by one thread
/// at a time.
/// </summary>
public sealed class LogTrees : IDisposable
{
    private readonly bool _hasSecrets;

    // The last epoch of the leaves that were loaded. The directory may get them only at the end of the load.
    private ulong _loaded;

    private bool _hasCopies;
    private bool _areCopiesComplete;

    private LogTrees(KeyDirectory directory, DirectoryOptions options, bool hasSecrets)
    {
        Directory = directory;
        Values = options.Values;
        Period = options.Period;
        IsStored = options.NodeStorePath is not null;
        _hasSecrets = hasSecrets;
    }

    /// <summary>The directory that contains the trees. Disposing of this object also disposes of the directory.</summary>
    public KeyDirectory Directory { get; }

    /// <summary>Says which values the directory keeps. The replay need not read other values.</summary>
    public KeptValues Values { get; }

    /// <summary>The period of the trees of the structures <c>devices</c> and <c>keys</c>.</summary>
    public ulong Period { get; }

    /// <summary>Whether the trees are in stored mode.</summary>
    public bool IsStored { get; }

    /// <summary>Whether the trees have reached the first epoch of their period. Before that, they are being filled with names and
    /// copies.</summary>
    public bool HasBegun => Period == 0 || Directory.Stats.PeriodFirstEpoch != 0;

    /// <summary>The epoch of the trees, or the last epoch of a load that has not ended. Before the trees' period begins, this is the last
    /// epoch whose names the trees have.</summary>
    public ulong Epoch => Math.Max(_loaded, Directory.Stats.Epoch);

    // The columns to read from the database. They exclude values that the directory does not keep, and always exclude keys, because neither
    // trees nor lookups need keys.
    internal LeafColumns Columns =>
        Values switch { KeptValues.None => LeafColumns.Trees, KeptValues.Lists => LeafColumns.Lists, _ => LeafColumns.Values };

    /// <summary>
    /// Restores the trees from a snapshot, or in stored mode from the node store; returns null if there is no usable snapshot or node
    /// store. Does not check that the trees belong to the log, because <see cref="LogReplay.LoadAsync"/> compares them with their epoch's
    /// record.
    /// </summary>
    public static LogTrees? TryRestore(DirectoryOptions options, string snapshot, out Refused? refused)
    {
        ArgumentNullException.ThrowIfNull(options);
        refused = null;
        try
        {
            return SnapshotFile.TryRestore(options, snapshot) is { } directory ? new LogTrees(directory, options, hasSecrets: true) : null;
        }
        catch (OptiksNativeException e) when (e.Status is NativeStatus.Data or NativeStatus.Io)
        {
            refused = new Refused(e.Message) { IsSnapshot = true };
            return null;
        }
    }

    /// <summary>Deletes all files of a snapshot and, in stored mode, of the node store.</summary>
    public static void RemoveSnapshot(DirectoryOptions options, string snapshot)
    {
        ArgumentNullException.ThrowIfNull(options);
        SnapshotFile.Remove(options, snapshot);
    }

    /// <summary>
    /// Creates empty trees. If the path of a snapshot is given (<paramref name="snapshot"/>), first deletes that snapshot's files, because
    /// the new trees take over its leaf log. The path is null if these trees never have a snapshot.
    /// </summary>
    public static LogTrees Create(DirectoryOptions options, string? snapshot)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (snapshot is not null)
        {
            SnapshotFile.Remove(options, snapshot);
        }
        return new LogTrees(KeyDirectory.Create(options), options, hasSecrets: true);
    }

    /// <summary>
    /// Creates empty trees for callers that only compare roots and counts, which depend only on labels and commitments. A directory needs
    /// its VRF secrets only to compute labels, and this one computes no labels, so it gets random secrets. So nothing here checks that a
    /// label belongs to its key; only lookups prove this.
    /// </summary>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="period">The period of the trees. If it is not period 0, the trees are created as those of a period that has not begun
    /// yet.</param>
    public static LogTrees CreateWithoutSecrets(Configuration configuration, ulong period = 0)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        using var secrets = DirectorySecrets.Generate();
        var options = new DirectoryOptions
        {
            Secrets = secrets,
            Period = period,
            Values = KeptValues.None,
            MaxValueLength = configuration.MaxValueLength,
            ReusesUsernames = configuration.ReusesUsernames,
            Threads = DirectoryOptions.AllProcessors,
        };
        return new LogTrees(KeyDirectory.Create(options), options, hasSecrets: false);
    }

    /// <summary>
    /// Loads leaves that the trees do not have yet; they must be all leaves of their epochs, up to the given epoch. After the last call,
    /// <see cref="EndLoad"/> moves the trees to that epoch. After a refusal the trees are unusable.
    /// </summary>
    public Refused? Load(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        try
        {
            Directory.Load(epoch, leaves, values);
            _loaded = epoch;
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return Contradiction(epoch, e);
        }
    }

    /// <summary>
    /// Ends the load and moves the trees to the epoch of the last leaves. In stored mode, this call takes minutes if it is the first load,
    /// or if copies were loaded; afterwards, no more copies can be loaded. After a refusal the trees are unusable.
    /// </summary>
    public Refused? EndLoad(ulong epoch)
    {
        try
        {
            Directory.EndLoad();
            _areCopiesComplete = IsStored && _hasCopies;
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return Contradiction(epoch, e);
        }
    }

    // Ends a load of leaves that has not ended. Does not complete the copies, as EndLoad() would do.
    internal Refused? EndStartedLoad() => Directory.Stats.Epoch < _loaded ? EndLoad(_loaded) : null;

    /// <summary>
    /// Loads those of the given leaves that belong to the structures <c>usernames</c> and <c>decommissioned</c>, which are independent of
    /// periods, and skips all other leaves. Then moves the trees to the epoch. This method takes the place of <see cref="Load"/> for trees
    /// whose period has not begun. After a refusal the trees are unusable.
    /// </summary>
    public Refused? LoadNames(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        var names = new LeafRow[leaves.Length];
        int count = 0;
        foreach (ref readonly LeafRow leaf in leaves)
        {
            if (!leaf.Structure.IsPerPeriod())
            {
                names[count++] = leaf;
            }
        }
        return Load(epoch, names.AsSpan(0, count), values);
    }

    /// <summary>
    /// Loads copies for the trees' period, which has not begun. Callers may split the copies over several calls; if a key has several rows,
    /// the last one is in force. After a refusal the trees are unchanged. <see cref="EndLoad"/> ends the load.
    /// </summary>
    public Refused? LoadCopies(ReadOnlySpan<LeafRow> copies, ReadOnlySpan<byte> values)
    {
        if (_areCopiesComplete)
        {
            return new Refused($"Period {Period} has more copies than those with which it begins.");
        }
        try
        {
            Directory.LoadCopies(copies, values);
            _hasCopies = true;
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return new Refused($"The copies of period {Period} contradict each other ({e.Message}).");
        }
    }

    /// <summary>Compares the trees with the record of their epoch.</summary>
    public Refused? Match(EpochRecord record) => Match(Directory.States(out _), record);

    /// <summary>
    /// Builds the trees of the next epoch. If the record begins the trees' period, builds the trees of the period's first epoch. The
    /// current trees stay unchanged until the caller commits the result, which the caller must dispose of.
    /// </summary>
    public bool TryStage(
        EpochRecord record, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs,
        [NotNullWhen(true)] out StagedEpoch? staged, [NotNullWhen(false)] out Refused? refused)
    {
        ArgumentNullException.ThrowIfNull(record);
        return record.IsSwitch
            ? TryStartPeriod(record, leaves, values, withProofs, out staged, out refused)
            : TryStage(record, startsPeriod: false, leaves, values, withProofs, out staged, out refused);
    }

    /// <summary>
    /// Builds the trees of the first epoch of the trees' period, from the loaded copies and from the epoch's leaves of the structures
    /// <c>usernames</c> and <c>decommissioned</c>.
    /// </summary>
    public bool TryStartPeriod(
        EpochRecord record, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs,
        [NotNullWhen(true)] out StagedEpoch? staged, [NotNullWhen(false)] out Refused? refused)
    {
        ArgumentNullException.ThrowIfNull(record);
        if (record.Period != Period || record.PeriodFirstEpoch != record.Epoch)
        {
            staged = null;
            refused = new Refused($"The record of epoch {record.Epoch} does not begin period {Period}.");
            return false;
        }
        return TryStage(record, startsPeriod: true, leaves, values, withProofs, out staged, out refused);
    }

    private bool TryStage(
        EpochRecord record, bool startsPeriod, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs,
        [NotNullWhen(true)] out StagedEpoch? staged, [NotNullWhen(false)] out Refused? refused)
    {
        try
        {
            staged = startsPeriod
                ? Directory.StartPeriod(record.Epoch, leaves, values, withProofs)
                : Directory.Stage(record.Epoch, leaves, values, withProofs);
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            staged = null;
            refused = Contradiction(record.Epoch, e);
            return false;
        }
        refused = Match(staged.States(), record);
        if (refused is not null)
        {
            staged.Dispose();
            staged = null;
        }
        return refused is null && staged is not null;
    }

    /// <summary>
    /// Destroys erased values in the trees, before the trees reach the epoch that erased them. Skips leaves and copies that these trees do
    /// not have, such as those of other periods. If a leaf that the trees should have does not exist, erases nothing and returns a refusal.
    /// </summary>
    public Refused? Erase(IReadOnlyList<StoredErasure> erasures)
    {
        ArgumentNullException.ThrowIfNull(erasures);
        if (erasures.Count == 0)
        {
            return null;
        }
        ulong periodFirstEpoch = Directory.Stats.PeriodFirstEpoch;
        StoredErasure[] copies = [.. erasures.Where(erasure => erasure.Erasure.Period is ulong period && period == Period)];
        StoredErasure[] leaves = [.. erasures.Where(erasure => erasure.Erasure.Period is null && HasLeaf(erasure, periodFirstEpoch))];
        // The directory finds the leaves of a load only after its end. A load that ends early is slower, so this method ends it only if the
        // erasures are of its leaves.
        if (leaves.Length > 0 && EndStartedLoad() is { } contradicted)
        {
            return contradicted;
        }
        // Copies are only loaded after the names, so trees that are still in a load of names have none.
        if (Directory.Stats.Epoch < _loaded)
        {
            return null;
        }
        try
        {
            Directory.Erase(GetStructures(leaves), Octets(leaves, erasure => erasure.Label));
            Directory.EraseCopies(GetStructures(copies), Octets(copies, erasure => erasure.Label),
                Octets(copies, erasure => erasure.Commitment));
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return new Refused($"The values that epoch {erasures[0].DecidedIn} erased are not in the trees ({e.Message}).");
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Dispose();

    // Returns whether these trees should have the leaf that an erasure erased. They have no leaves of epochs after their own epoch. All
    // trees have the leaves of the structures `usernames` and `decommissioned`, whatever their period. They have leaves of the structures
    // `devices` and `keys` only from the first epoch of their period on.
    private bool HasLeaf(StoredErasure erasure, ulong periodFirstEpoch) => erasure.Erasure.Epoch <= Epoch
        && (!GetStructure(erasure).IsPerPeriod() || Period == 0
            || (periodFirstEpoch > 0 && erasure.Erasure.Epoch >= periodFirstEpoch));

    private static StructureId GetStructure(StoredErasure erasure) =>
        erasure.Structure ?? throw new ArgumentException("An erasure has no leaf.", nameof(erasure));

    private static StructureId[] GetStructures(StoredErasure[] erasures) => [.. erasures.Select(GetStructure)];

    private static byte[] Octets(StoredErasure[] erasures, Func<StoredErasure, ReadOnlyMemory<byte>> of)
    {
        byte[] octets = new byte[Lengths.Hash * erasures.Length];
        for (int i = 0; i < erasures.Length; i++)
        {
            of(erasures[i]).Span.CopyTo(octets.AsSpan(Lengths.Hash * i));
        }
        return octets;
    }

    private static bool IsContradiction(OptiksNativeException e) => e.Status is NativeStatus.Data or NativeStatus.Duplicate;

    // The refusal may quote the exception's text, because the native library puts neither secrets nor data about users into it.
    private static Refused Contradiction(ulong epoch, OptiksNativeException e) =>
        new($"The leaves up to epoch {epoch} contradict each other ({e.Message}).");

    // Compares the directory's roots, counts and VRF keys with a record. `RecordChain` compares the VRF keys of two successive records;
    // this method compares them with the keys of the directory's own secrets.
    private Refused? Match(StructureState[] states, EpochRecord record)
    {
        for (int i = 0; i < states.Length; i++)
        {
            StructureState recorded = record.Structures[i];
            if (states[i].Count != recorded.Count || !states[i].Root.Span.SequenceEqual(recorded.Root.Span))
            {
                return new Refused($"The leaves up to epoch {record.Epoch} do not give its record's root and count of structure {i + 1}.");
            }
            if (_hasSecrets && !states[i].VrfPublicKey.Span.SequenceEqual(recorded.VrfPublicKey.Span))
            {
                return new Refused(
                    $"The period's secrets do not give the VRF key of structure {i + 1} in the record of epoch {record.Epoch}.");
            }
        }
        return null;
    }
}
