using System.Diagnostics.CodeAnalysis;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Storage.Replay;

/// <summary>
/// A directory that is filled with stored leaves and that can be compared with an epoch's record. One thread at a time, like the
/// directory's writer.
/// </summary>
public sealed class LogTrees : IDisposable
{
    private readonly bool _hasSecrets;

    private LogTrees(KeyDirectory directory, DirectoryOptions options, bool hasSecrets)
    {
        Directory = directory;
        Values = options.Values;
        Period = options.Period;
        IsStored = options.NodeStorePath is not null;
        _hasSecrets = hasSecrets;
    }

    /// <summary>The directory of the trees, which is disposed of with them.</summary>
    public KeyDirectory Directory { get; }

    /// <summary>Which values the directory keeps; the replay need not read other values.</summary>
    public KeptValues Values { get; }

    /// <summary>The period of the trees of devices and keys.</summary>
    public ulong Period { get; }

    /// <summary>Whether the trees are in stored mode.</summary>
    public bool IsStored { get; }

    /// <summary>Whether the trees are at an epoch of their period. Before that, they are being filled with names and copies.</summary>
    public bool HasBegun => Period == 0 || Directory.Stats.PeriodFirstEpoch != 0;

    /// <summary>The epoch of the trees; before their period begins, the epoch of their names.</summary>
    public ulong Epoch => Directory.Stats.Epoch;

    // Values that the directory does not keep are not read. Keys are never read, because neither trees nor lookups need them.
    internal LeafColumns Columns => Values switch { KeptValues.None => LeafColumns.Trees, KeptValues.Lists => LeafColumns.Lists, _ => LeafColumns.Values };

    /// <summary>
    /// Restores the trees from a snapshot, or in stored mode from the node store; returns null when there is no usable snapshot or store.
    /// This method does not check that the trees belong to the log: <see cref="LogReplay.LoadAsync"/> compares them with their epoch's
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

    /// <summary>Deletes the remains of a snapshot and, in stored mode, of the node store.</summary>
    public static void RemoveSnapshot(DirectoryOptions options, string snapshot)
    {
        ArgumentNullException.ThrowIfNull(options);
        SnapshotFile.Remove(options, snapshot);
    }

    /// <summary>
    /// Creates empty trees. Deletes the remains of <paramref name="snapshot"/> first, because the trees take over its leaf log; null when
    /// these trees never have a snapshot.
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
    /// Creates empty trees for callers that only compare roots and counts, which depend on labels and commitments. The directory gets
    /// random VRF secrets, because it would need the real secrets only to compute labels, and it computes none. So nothing here checks that
    /// a label belongs to its key; only lookups prove that.
    /// </summary>
    /// <param name="configuration">The log's configuration.</param>
    /// <param name="period">The period of the trees; the trees of a later period than the first are created before that period
    /// begins.</param>
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
    /// Loads all leaves up to an epoch that the trees do not have yet. After the last leaves, <see cref="EndLoad"/> moves the trees to that
    /// epoch. After a refusal the trees are unusable.
    /// </summary>
    public Refused? Load(ulong epoch, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values)
    {
        try
        {
            Directory.Load(epoch, leaves, values);
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return Contradiction(epoch, e);
        }
    }

    /// <summary>
    /// Ends the load at the epoch of the last leaves. In stored mode, this call takes minutes at the first load. After a refusal the trees
    /// are unusable.
    /// </summary>
    public Refused? EndLoad(ulong epoch)
    {
        try
        {
            Directory.EndLoad();
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return Contradiction(epoch, e);
        }
    }

    /// <summary>
    /// Loads the given leaves of usernames and decommissioned, which are independent of periods, skips all other leaves, and moves the
    /// trees to the epoch. This is the counterpart of <see cref="Load"/> for trees whose period has not begun. After a refusal the trees
    /// are unusable.
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
    /// Loads copies for the trees' period, which has not begun, in any number of calls; the last row of a key counts. After a refusal the
    /// trees are unchanged.
    /// </summary>
    public Refused? LoadCopies(ReadOnlySpan<LeafRow> copies, ReadOnlySpan<byte> values)
    {
        try
        {
            Directory.LoadCopies(copies, values);
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
    /// Builds the trees of the next epoch, or begins the trees' period if the record does so. The current trees stay unchanged until the
    /// caller commits the result. The caller disposes of the result.
    /// </summary>
    public bool TryStage(
        EpochRecord record, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs, [NotNullWhen(true)] out StagedEpoch? staged, [NotNullWhen(false)] out Refused? refused)
    {
        ArgumentNullException.ThrowIfNull(record);
        return record.IsSwitch
            ? TryStartPeriod(record, leaves, values, withProofs, out staged, out refused)
            : TryStage(record, startsPeriod: false, leaves, values, withProofs, out staged, out refused);
    }

    /// <summary>
    /// Builds the trees of the first epoch of the trees' period, from the loaded copies and from leaves of usernames and decommissioned.
    /// </summary>
    public bool TryStartPeriod(
        EpochRecord record, ReadOnlySpan<LeafRow> leaves, ReadOnlySpan<byte> values, bool withProofs, [NotNullWhen(true)] out StagedEpoch? staged, [NotNullWhen(false)] out Refused? refused)
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
            staged = startsPeriod ? Directory.StartPeriod(record.Epoch, leaves, values, withProofs) : Directory.Stage(record.Epoch, leaves, values, withProofs);
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
    /// Destroys values of leaves that the trees have, before the trees reach an epoch that has erased them. Leaves and copies of other
    /// periods are skipped. Returns a refusal, with nothing erased, when a leaf does not exist.
    /// </summary>
    public Refused? Erase(IReadOnlyList<StoredErasure> erasures)
    {
        ArgumentNullException.ThrowIfNull(erasures);
        if (erasures.Count == 0)
        {
            return null;
        }
        DirectoryStats at = Directory.Stats;
        StoredErasure[] copies = [.. erasures.Where(erasure => erasure.Erasure.Period is ulong period && period == Period)];
        StoredErasure[] leaves = [.. erasures.Where(erasure => erasure.Erasure.Period is null && HasLeaf(erasure, at))];
        try
        {
            Directory.Erase(GetStructures(leaves), Octets(leaves, erasure => erasure.Label));
            Directory.EraseCopies(GetStructures(copies), Octets(copies, erasure => erasure.Label), Octets(copies, erasure => erasure.Commitment));
            return null;
        }
        catch (OptiksNativeException e) when (IsContradiction(e))
        {
            return new Refused($"The values that epoch {erasures[0].DecidedIn} erased are not in the trees ({e.Message}).");
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Dispose();

    // Names are in the trees of all periods. Leaves of devices and keys are in the trees only from the period's first epoch on. Leaves of
    // epochs after the trees' epoch are not in the trees yet.
    private static bool HasLeaf(StoredErasure erasure, DirectoryStats at) => erasure.Erasure.Epoch <= at.Epoch
        && (!GetStructure(erasure).IsPerPeriod() || at.Period == 0 || (at.PeriodFirstEpoch > 0 && erasure.Erasure.Epoch >= at.PeriodFirstEpoch));

    private static StructureId GetStructure(StoredErasure erasure) => erasure.Structure ?? throw new ArgumentException("An erasure has no leaf.", nameof(erasure));

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

    // The exception's text may be quoted, because the native library puts no secret and nothing about a user into it.
    private static Refused Contradiction(ulong epoch, OptiksNativeException e) => new($"The leaves up to epoch {epoch} contradict each other ({e.Message}).");

    // RecordChain compares a record's VRF keys with the VRF keys in the record before. This method compares them with the VRF keys of the
    // directory's secrets.
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
                return new Refused($"The period's secrets do not give the VRF key of structure {i + 1} in the record of epoch {record.Epoch}.");
            }
        }
        return null;
    }
}
