using System.Globalization;
using System.Text;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// An entry of the board that breaks a rule of records, either a rule for one record or a rule for two successive records
/// (docs/spec/state.md section 2). All entries are in a tree that the log signed, so anyone can check the breach. Unlike an invalid proof,
/// a breach shows a fault of the log and not of a server.
/// </summary>
/// <param name="Reason">First rule that an entry breaks.</param>
/// <param name="Epoch">Index of the entry.</param>
/// <param name="Files">Files of the evidence.</param>
internal sealed record RecordBreach(Reason Reason, ulong Epoch, IReadOnlyDictionary<string, ReadOnlyMemory<byte>> Files)
{
    /// <summary>
    /// Checks the entries of a range and returns the first breach; null if no entry breaks a rule. The caller has already verified the
    /// first entry, and <paramref name="periodStart"/> is the entry with which the first entry's period began.
    /// </summary>
    public static async Task<RecordBreach?> FindAsync(
        TrustAnchor anchor, VerifiedNote note, HashReader board, ReadOnlyMemory<byte>[] entries, ulong first,
        ReadOnlyMemory<byte> periodStart, CancellationToken cancellationToken)
    {
        var walk = new RecordWalk(anchor, entries[0], periodStart);
        for (int i = 1; i < entries.Length; i++)
        {
            Reason reason = walk.Step(entries[i]);
            if (reason != Reason.Valid)
            {
                ulong index = first + (ulong)i;
                return new RecordBreach(reason, index,
                    await CollectAsync(anchor, note, board, reason, index, EpochRecord.ReadEpoch(walk.PeriodStart.Span), cancellationToken)
                        .ConfigureAwait(false));
            }
        }
        return null;
    }

    private static async Task<Dictionary<string, ReadOnlyMemory<byte>>> CollectAsync(
        TrustAnchor anchor, VerifiedNote note, HashReader board, Reason reason, ulong index, ulong period,
        CancellationToken cancellationToken)
    {
        var files = new Dictionary<string, ReadOnlyMemory<byte>>
        {
            ["trust.json"] = anchor.ToJson(),
            ["checkpoint.txt"] = note.Octets,
            ["README.txt"] = Encoding.UTF8.GetBytes(Explain(anchor, reason, index)),
        };
        if (!SignedNote.TryParse(note.Octets, out SignedNote? signed, out TlogError error))
        {
            throw new InvalidOperationException($"A verified note does not parse: {error}.");
        }
        foreach (ulong entry in new SortedSet<ulong> { period, index - 1, index })
        {
            IReadOnlyList<TreeHash> hashes =
                await InclusionProof.MakeAsync(board, entry, note.Size, cancellationToken).ConfigureAwait(false);
            string name = entry.ToString(CultureInfo.InvariantCulture);
            files[$"record-{name}.bin"] = await board.ReadEntryAsync(entry, cancellationToken).ConfigureAwait(false);
            files[$"record-{name}.tlog-proof"] = new TlogProof(entry, hashes, signed).Encode();
        }
        return files;
    }

    private static string Explain(TrustAnchor anchor, Reason reason, ulong index) => string.Create(CultureInfo.InvariantCulture,
        $"""
        The log {anchor.Configuration.Origin} signed a record of epoch {index} that breaks a rule of records: {reason.Name()}.

        trust.json            the log's key and configuration
        checkpoint.txt        the signed checkpoint, which commits to all of these records
        record-N.bin          entry N of the log: the record at fault, the one before it, and that of the first epoch
                              of the period before it
        record-N.tlog-proof   its inclusion proof (C2SP tlog-proof), which ends in the checkpoint

        Anyone can check it: the checkpoint verifies with the log's key, each entry is in its tree, and entry {index}
        is not what a record after entry {index - 1} may be. No server can make these files without the log's key.
        Publish them, and ask the operator and the auditors.

        """);
}
