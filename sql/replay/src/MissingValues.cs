using System.Buffers.Binary;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Storage.Replay;

/// <summary>
/// Remembers the loaded leaves and copies whose values the database did not have, and finds out whether epochs erased them. A value that is
/// missing for another reason was lost by the database. Without this check, a replica would answer that the owner had the value erased.
/// Keeps some 40 bytes for each missing value. One thread at a time.
/// </summary>
internal sealed class MissingValues
{
    private const ulong EpochsPerRead = 4096;

    private static readonly TimeSpan s_wait = TimeSpan.FromSeconds(1);

    // The first halves of label and commitment identify a leaf. Both label and commitment are random. The label alone is not enough,
    // because copies of one key share a label.
    private readonly HashSet<(UInt128 Label, UInt128 Commitment)> _leaves = [];
    private readonly Dictionary<UInt128, UInt128> _copies = [];

    /// <summary>Adds those of the given leaves that have no value although these trees keep such values.</summary>
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
    /// Adds those of the given copies that have no value although these trees keep such values; the last row of a label counts.
    /// </summary>
    public void AddCopies(ReadOnlySpan<LeafRow> copies, KeptValues kept)
    {
        foreach (ref readonly LeafRow copy in copies)
        {
            // A row of version 0 takes its key out and never has a value.
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

    /// <summary>Forgets all added leaves and copies, because the trees will be made again.</summary>
    public void Clear()
    {
        _leaves.Clear();
        _copies.Clear();
    }

    /// <summary>
    /// Returns a refusal when a value is missing without an erasure, and forgets the values whose erasure it found. The database deletes a
    /// value when the erasing epoch is committed, but a store may show the erasure only when that epoch is published. With such a store,
    /// this method waits until then.
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
        // The update-task's store also shows the committed epoch; other stores show published epochs only.
        ulong shown = store is IPipelineStore ? committed : head.PublishedEpoch ?? 0;
        while (true)
        {
            for (; first <= shown && _leaves.Count + _copies.Count > 0; first += EpochsPerRead)
            {
                foreach (StoredErasure erasure in await store.ReadErasuresAsync(first, Math.Min(shown, first + EpochsPerRead - 1), cancellationToken).ConfigureAwait(false))
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
        return isDestroyed ? null : new Refused($"{lost} values of period {period} are not in the database, and no epoch erased them. They were lost: restore the database ('optiks-db fsck' names the leaves).");
    }

    private static bool Keeps(KeptValues kept, StructureId structure) => kept == KeptValues.All || (kept == KeptValues.Lists && structure == StructureId.Devices);

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
