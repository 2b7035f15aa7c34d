using System.Globalization;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>Names and reads the parts of an audited range of epochs.</summary>
internal static class AuditedRange
{
    /// <summary>Returns the path of the audit proof for the steps between two epochs.</summary>
    public static string GetProofPath(ulong from, ulong to) => to - from == 1
        ? string.Create(CultureInfo.InvariantCulture, $"/v1/epochs/{to}/audit-proof")
        : string.Create(CultureInfo.InvariantCulture, $"/v1/epochs/{from}-{to}/audit-proof");

    /// <summary>Returns the records of an accepted proof, which are in the proof's first vector.</summary>
    public static List<ReadOnlyMemory<byte>> GetRecords(byte[] proof, ulong from, ulong to)
    {
        const int PrefixLength = 3;
        return [.. Enumerable.Range(0, (int)(to - from) + 1)
            .Select(i => new ReadOnlyMemory<byte>(proof, PrefixLength + (i * EpochRecord.Length), EpochRecord.Length))];
    }

    /// <summary>Returns the board's entries of two epochs and of all epochs between them, each proven to be in the tree.</summary>
    public static async Task<ReadOnlyMemory<byte>[]> ReadEntriesAsync(
        HashReader board, ulong first, ulong last, CancellationToken cancellationToken)
    {
        var entries = new ReadOnlyMemory<byte>[(int)(last - first) + 1];
        for (int i = 0; i < entries.Length;)
        {
            ulong index = first + (ulong)i;
            IReadOnlyList<ReadOnlyMemory<byte>> bundle =
                await board.ReadBundleAsync(index / TilePath.FullWidth, cancellationToken).ConfigureAwait(false);
            for (int j = (int)(index % TilePath.FullWidth); j < bundle.Count && i < entries.Length; i++, j++)
            {
                entries[i] = bundle[j];
            }
        }
        return entries;
    }
}
