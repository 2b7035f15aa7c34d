using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>
/// Finds the database rows of a key's versions in the current period, by the labels that these versions have in the trees.
/// </summary>
internal static class LeafNames
{
    /// <summary>Adds the names of a range of a key's versions to a list. The versions must exist in the trees.</summary>
    public static void Add(LogSession session, List<LeafName> names, StructureId structure, ReadOnlyMemory<byte> key, ulong from, int count)
    {
        byte[] labels = new byte[Lengths.Hash * count];
        ulong[] epochs = new ulong[count];
        if (!session.Directory.TryLeaves(structure, key.Span, from, labels, epochs))
        {
            throw new StorageCorruptException(
                "The trees lack a version of a key below its latest: start again without the task's snapshot.");
        }
        for (int i = 0; i < count; i++)
        {
            // A leaf with epoch 0 is a copy with which the period began.
            names.Add(
                new LeafName(epochs[i], structure,
                    labels.AsMemory(Lengths.Hash * i, Lengths.Hash))
                { Period = epochs[i] == 0 ? session.Period.Period : null });
        }
    }

    /// <summary>
    /// Finds the places of leaves in the database. The names must come from the trees; throws if the database lacks one of the leaves.
    /// </summary>
    public static async Task<IReadOnlyList<LeafPlace>> FindAsync(
        PipelineStore store, List<LeafName> names, CancellationToken cancellationToken)
    {
        IReadOnlyList<LeafPlace?> places = names.Count == 0 ? [] : await store.FindLeavesAsync(names, cancellationToken);
        return [.. places.Select(
            (place, i) =>
                place
                    ?? throw new StorageCorruptException(
                        $"The database lacks a leaf of epoch {names[i].Epoch} that the trees have: restore it."))];
    }

    /// <summary>Finds the places of a range of a key's versions in the database. The versions must exist in the trees.</summary>
    public static Task<IReadOnlyList<LeafPlace>> FindAsync(
        LogSession session, PipelineStore store, StructureId structure, ReadOnlyMemory<byte> key, ulong from, int count,
        CancellationToken cancellationToken)
    {
        var names = new List<LeafName>(count);
        Add(session, names, structure, key, from, count);
        return FindAsync(store, names, cancellationToken);
    }
}
