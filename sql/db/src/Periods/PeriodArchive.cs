using Optiks.Commands;
using Optiks.Db.Fsck;
using Optiks.Protocol;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db.Periods;

/// <summary>Implements <c>optiks-db period archive</c>, which writes the archive of a period to a file.</summary>
internal static class PeriodArchive
{
    private const int Page = 4096;

    public static async Task<int> RunAsync(
        Invocation invocation, ulong number, string path, string trust, CancellationToken cancellationToken)
    {
        string full = Path.GetFullPath(path);
        if (File.Exists(full))
        {
            throw new StartupException($"The file {full} exists: it is not overwritten.");
        }
        var anchor = TrustAnchor.Load(trust);
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        PeriodTimes times = await PeriodTimes.ReadAsync(store, cancellationToken);
        PeriodRow period = times.Ended(number);
        ulong last = times.LastEpoch(number)!.Value;
        await using ConsistentRead read = await store.OpenConsistentReadAsync(cancellationToken);
        string temporary = full + ".tmp";
        (ulong Epochs, long Leaves) archived;
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                UnixCreateMode = AtomicFile.PrivateMode,
                BufferSize = 1 << 20,
            };
            using (var stream = new FileStream(temporary, options))
            {
                using (var writer = new ArchiveWriter(stream, anchor.LogId, number, period.FirstEpoch!.Value, last))
                {
                    await TerminalProgress.RunAsync(TerminalProgress.Terminal(invocation.Error),
                        progress => WriteAsync(read, period, last, writer, progress, cancellationToken));
                }
                stream.Flush(flushToDisk: true);
                stream.Position = 0;
                archived = ArchiveCheck.Run(stream, anchor);
            }
            File.Move(temporary, full, overwrite: false);
            // The operator may later destroy the period, so the archive's file and its name must be safe from a power cut by then.
            DurableFiles.SyncFolder(Path.GetDirectoryName(full)!);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The archive cannot be written: {e.Message}", e);
        }
        finally
        {
            File.Delete(temporary);
        }
        await invocation.Output.WriteLineAsync(invocation.Json
            ? JsonLine.Write(writer =>
            {
                writer.WriteNumber("period", number);
                writer.WriteNumber("epochs", archived.Epochs);
                writer.WriteNumber("leaves", archived.Leaves);
                writer.WriteString("file", full);
            })
            : FormattableString.Invariant(
                $"archived period {number}, {archived.Epochs} epochs with {archived.Leaves} leaves and copies, to {full}; the roots of all epochs were recomputed from it"));
        return ExitCodes.Success;
    }

    private static async Task WriteAsync(ConsistentRead read, PeriodRow period, ulong last, ArchiveWriter writer, TerminalProgress progress,
        CancellationToken cancellationToken)
    {
        writer.WriteLeaves(await ReadCopiesAsync(read, period, cancellationToken));
        var leaves = new LeafCursor(read, period.FirstEpoch!.Value);
        for (ulong next = period.FirstEpoch.Value; next <= last;)
        {
            IReadOnlyList<StoredEpoch> epochs =
                await read.ReadEpochsAsync(next, (int)Math.Min((ulong)Page, last - next + 1), cancellationToken);
            foreach (EpochRow epoch in epochs.Select(epoch => epoch.Row))
            {
                if (epoch.Epoch != next || epoch.Record.Length != EpochRecord.Length)
                {
                    throw Missing(FormattableString.Invariant($"the record of epoch {next}"));
                }
                List<StoredLeaf> taken = await leaves.TakeAsync(epoch.Epoch, cancellationToken);
                writer.WriteRecord(epoch.Record);
                writer.WriteLeaves(
                    [.. taken.Where(leaf => leaf.Structure.IsPerPeriod())
                        .Select(leaf => ArchiveWriter.Leaf(leaf.Structure, leaf.Label, leaf.Commitment))]);
                progress.Show("epochs", next, last);
                next++;
            }
            if (epochs.Count == 0)
            {
                throw Missing(FormattableString.Invariant($"epoch {next}"));
            }
        }
        writer.Finish();
    }

    // Reads a period's copies, each the last row of its key. They must be sorted, so all of them are in memory, with about 100 bytes each.
    private static async Task<IReadOnlyCollection<byte[]>> ReadCopiesAsync(
        ConsistentRead read, PeriodRow period, CancellationToken cancellationToken)
    {
        var rows = new List<(byte[] Leaf, int Number, bool IsDrop)>();
        for (int next = 0; next < period.Copies!.Value;)
        {
            IReadOnlyList<StoredCopy> copies =
                await read.ReadCopiesAsync(period.Period, next, Math.Min(Page, period.Copies.Value - next), cancellationToken);
            if (copies.Count == 0)
            {
                throw Missing(FormattableString.Invariant($"copy {next} of period {period.Period}"));
            }
            foreach (StoredCopy copy in copies)
            {
                if (copy.Period != period.Period || copy.Number != next)
                {
                    throw Missing(FormattableString.Invariant($"copy {next} of period {period.Period}"));
                }
                rows.Add((ArchiveWriter.Leaf(copy.Structure, copy.Label, copy.Commitment), next, copy.Source.IsDrop));
                next++;
            }
        }
        rows.Sort((a, b) => NameOf(a.Leaf).SequenceCompareTo(NameOf(b.Leaf)) is not 0 and var order ? order : a.Number.CompareTo(b.Number));
        return [.. rows.Where((row, i) => !row.IsDrop && (i + 1 == rows.Count || !NameOf(row.Leaf).SequenceEqual(NameOf(rows[i + 1].Leaf))))
            .Select(row => row.Leaf)];

        static ReadOnlySpan<byte> NameOf(byte[] leaf) => leaf.AsSpan(0, 1 + Lengths.Hash);
    }

    private static StorageCorruptException Missing(string what) =>
        new($"The database lacks {what}: see 'optiks-db fsck'. Nothing was archived.");
}
