using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>
/// Remembers the loaded leaves and copies whose values the database did not have, and finds out whether epochs erased these values. If no
/// epoch erased a value, the database has lost it. Without this check, a query-service would answer that the owner had the value erased.
/// Takes about 40 bytes for each missing value. Not thread-safe.
/// </summary>
internal sealed class MissingValues
{
    private const ulong EpochsPerRead = 4096;

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(1);

    // The first halves of label and commitment identify a leaf, because both look random. The label would not be enough, because copies of
    // one key have the same label.
    private readonly HashSet<(UInt128 Label, UInt128 Commitment)> _leaves = [];
    private readonly Dictionary<UInt128, UInt128> _copies = [];

    /// <summary>Adds each given leaf that has no value although the trees keep values of the leaf's structure.</summary>
    public void Add(ReadOnlySpan<LeafRow> leaves, KeptValues kept)
    {
        foreach (ref readonly LeafRow leaf in leaves)
        {
            if (leaf.ValueOffset == LeafRow.NoValue && Keeps(kept, leaf.Structure))
            {
                _ = _leaves.Add((ReadHalf(leaf.Label), ReadHalf(leaf.Commitment)));
            }
        }
    }

    /// <summary>
    /// Adds each given copy that has no value although the trees keep values of the copy's structure. If a label has several rows, only the
    /// last one is in force.
    /// </summary>
    public void AddCopies(ReadOnlySpan<LeafRow> copies, KeptValues kept)
    {
        foreach (ref readonly LeafRow copy in copies)
        {
            // A row of version 0 removes its key's copy and never has a value.
            if (copy.ValueOffset == LeafRow.NoValue && copy.Version > 0 && Keeps(kept, copy.Structure))
            {
                _copies[ReadHalf(copy.Label)] = ReadHalf(copy.Commitment);
            }
            else
            {
                _ = _copies.Remove(ReadHalf(copy.Label));
            }
        }
    }

    /// <summary>Forgets all added leaves and copies. Callers use this method before they make the trees again.</summary>
    public void Clear()
    {
        _leaves.Clear();
        _copies.Clear();
    }

    /// <summary>
    /// Returns a refusal if a value is missing although no epoch erased it; forgets the values for which it found an erasure. The database
    /// deletes a value when the erasing epoch is committed, but some stores show the erasure only once that epoch is published. With such a
    /// store, this method waits for the publication.
    /// </summary>
    public async Task<Refused?> CheckAsync(IFollowStore store, ulong period, CancellationToken cancellationToken)
    {
        if (_leaves.Count + _copies.Count == 0)
        {
            return null;
        }
        HeadRow head = await store.ReadHeadAsync(cancellationToken).ConfigureAwait(false);
        ulong committed = head.Epoch ?? 0;
        ulong first = 0;
        // The update-task's store also shows the committed, unpublished epoch; other stores show only published epochs.
        ulong shown = store is PipelineStore ? committed : head.PublishedEpoch ?? 0;
        while (true)
        {
            for (; first <= shown && _leaves.Count + _copies.Count > 0; first += EpochsPerRead)
            {
                foreach (StoredErasure erasure in await store.ReadErasuresAsync(
                    first, Math.Min(shown, first + EpochsPerRead - 1), cancellationToken).ConfigureAwait(false))
                {
                    Forget(erasure, period);
                }
            }
            if (_leaves.Count + _copies.Count == 0)
            {
                return null;
            }
            if (shown >= committed)
            {
                break;
            }
            first = shown + 1;
            shown = (await store.WaitForPublishedAsync(shown, s_wait, cancellationToken).ConfigureAwait(false)).PublishedEpoch ?? shown;
        }
        IReadOnlyList<PeriodRow> periods = await store.ReadPeriodsAsync(cancellationToken).ConfigureAwait(false);
        bool isDestroyed = periods.Any(row => row.Period == period && row.State is PeriodState.Destroying or PeriodState.Destroyed);
        int lost = _leaves.Count + _copies.Count;
        Clear();
        return isDestroyed
            ? null
            : new Refused(
                $"{lost} values of period {period} are not in the database, and no epoch erased them. They were lost: restore the database ('optiks-db fsck' names the leaves).");
    }

    private static bool Keeps(KeptValues kept, StructureId structure) =>
        kept == KeptValues.All || (kept == KeptValues.Lists && structure == StructureId.Devices);

    private static UInt128 ReadHalf(ReadOnlySpan<byte> octets) => BinaryPrimitives.ReadUInt128BigEndian(octets);

    private void Forget(StoredErasure erasure, ulong period)
    {
        (UInt128 label, UInt128 commitment) = (ReadHalf(erasure.Label.Span), ReadHalf(erasure.Commitment.Span));
        if (erasure.Erasure.Period is null)
        {
            _ = _leaves.Remove((label, commitment));
        }
        else if (erasure.Erasure.Period == period && _copies.TryGetValue(label, out UInt128 last) && last == commitment)
        {
            _ = _copies.Remove(label);
        }
    }
}
