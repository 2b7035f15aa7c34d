using Optiks.Protocol;

namespace Optiks.Storage;

/// <summary>Reads the erasure sequence and finds the leaves that erasures name.</summary>
internal static class ErasureReader
{
    private const int Page = 4096;

    /// <summary>Reads the erasures that the epochs from <paramref name="first"/> to <paramref name="last"/> decided.</summary>
    public static async Task<IReadOnlyList<StoredErasure>> ReadAsync(
        ISession session, ulong first, ulong last, CancellationToken cancellationToken)
    {
        var erasures = new List<StoredErasure>();
        (ulong epoch, int number) = (first, 0);
        while (true)
        {
            IReadOnlyList<StoredErasure> page = await session.ListAsync(
                session.Database.Statements.Erasures, StoredRows.Erasure, cancellationToken, Parameters(epoch, number, last, Page));
            foreach (StoredErasure erasure in page)
            {
                if (erasure.Structure is null)
                {
                    throw new StorageCorruptException(
                        $"The database {session.Database.Location} has no leaf for a value that epoch {erasure.DecidedIn} erased: restore it.");
                }
            }
            erasures.AddRange(page);
            if (page.Count < Page)
            {
                return erasures;
            }
            (epoch, number) = (page[^1].DecidedIn, page[^1].Number + 1);
        }
    }

    /// <summary>Returns the parameters for the statement <see cref="Statements.Erasures"/>.</summary>
    public static Parameter[] Parameters(ulong epoch, int number, ulong last, int max) =>
        [Parameter.Create("epoch", epoch), Parameter.Create("number", number), Parameter.Create("last", last),
            Parameter.Create("max", max)];

    /// <summary>
    /// Finds a leaf by its name; returns null if the leaf does not exist. Uses a binary search over the numbers of the epoch's leaves,
    /// which are sorted by structure and label.
    /// </summary>
    public static async Task<LeafPlace?> FindAsync(ISession session, LeafName name, CancellationToken cancellationToken)
    {
        int low = 0;
        int high = await session.FirstAsync(
            session.Database.Statements.EpochSizes,
            rows => checked((int)rows.GetInt64(1)),
            cancellationToken,
            Parameter.Create("first", name.Epoch),
            Parameter.Create("last", name.Epoch),
            Parameter.Create("max", 1));
        while (low < high)
        {
            int middle = low + ((high - low) / 2);
            (StructureId structure, byte[] label, bool hasValue) = await session.FirstAsync<(StructureId, byte[], bool)?>(
                session.Database.Statements.LeafAt,
                rows => ((StructureId)rows.GetInt16(0), rows.GetBytes(1), rows.GetBoolean(2)),
                cancellationToken,
                Parameter.Create("epoch", name.Epoch),
                Parameter.Create("ordinal", middle))
                ?? throw new StorageCorruptException(
                    $"The database {session.Database.Location} lacks leaf {middle} of epoch {name.Epoch}: restore it.");
            int order = structure == name.Structure
                ? label.AsSpan().SequenceCompareTo(name.Label.Span)
                : structure.CompareTo(name.Structure);
            if (order == 0)
            {
                return new LeafPlace(name.Epoch, middle, hasValue);
            }
            (low, high) = order < 0 ? (middle + 1, high) : (low, middle);
        }
        return null;
    }
}
