using System.Globalization;
using System.Runtime.CompilerServices;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.UpdateTask.Pipeline;

/// <summary>EpochHistory reads the database's epochs in order and checks each record by itself and against the one before, as auditors do.</summary>
internal static class EpochHistory
{
    private const ulong PageLength = 4096;

    /// <summary>ReadOneAsync reads one epoch; null when it is not there.</summary>
    public static async Task<EpochRow?> ReadOneAsync(IPipelineStore store, ulong epoch, CancellationToken cancellationToken)
    {
        IReadOnlyList<EpochRow> rows = await store.ReadEpochsAsync(epoch, epoch, cancellationToken);
        return rows.Count == 0 ? null : rows[0];
    }

    /// <summary>ReadStoredAsync is <see cref="ReadOneAsync"/> of an epoch that the database has to have. Throws <see cref="StorageCorruptException"/>.</summary>
    public static async Task<EpochRow> ReadStoredAsync(IPipelineStore store, ulong epoch, CancellationToken cancellationToken) =>
        await ReadOneAsync(store, epoch, cancellationToken) ?? throw new StorageCorruptException(Text($"The database lacks epoch {epoch}."));

    /// <summary>ReadAsync gives epochs 0..last in pages. Throws <see cref="StorageCorruptException"/> when they are not one history of the log.</summary>
    public static async IAsyncEnumerable<IReadOnlyList<EpochRow>> ReadAsync(
        IPipelineStore store, TrustAnchor anchor, ulong last, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> previous = default;
        for (ulong first = 0; first <= last; first += PageLength)
        {
            ulong end = Math.Min(last, first + PageLength - 1);
            IReadOnlyList<EpochRow> rows = await store.ReadEpochsAsync(first, end, cancellationToken);
            if ((ulong)rows.Count != end - first + 1)
            {
                throw new StorageCorruptException(Text($"The database lacks epochs between {first} and {end}."));
            }
            for (int i = 0; i < rows.Count; i++)
            {
                Check(anchor, rows[i], first + (ulong)i, previous.Span);
                previous = rows[i].Record;
            }
            yield return rows;
        }
    }

    private static void Check(TrustAnchor anchor, EpochRow row, ulong epoch, ReadOnlySpan<byte> previous)
    {
        Reason reason = Verifier.Record(anchor, row.Record.Span, previous);
        if (reason != Reason.Valid)
        {
            throw new StorageCorruptException(Text($"The record of epoch {epoch} in the database is not valid ({reason.Name()})."));
        }
        if (row.Epoch != epoch || EpochRecord.Decode(row.Record.Span).Epoch != epoch || !row.RecordHash.Span.SequenceEqual(EpochRecord.Hash(row.Record.Span)))
        {
            throw new StorageCorruptException(Text($"The row of epoch {epoch} in the database is not that of its record."));
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
