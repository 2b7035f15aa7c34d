using Optiks.Commands;
using Optiks.Db.Transfer;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db export</c>, which writes the whole database to a file.</summary>
internal static class ExportCommand
{
    private const int Page = 4096;

    public static async Task<int> RunAsync(Invocation invocation, string path, CancellationToken cancellationToken)
    {
        string full = Path.GetFullPath(path);
        if (File.Exists(full))
        {
            throw new StartupException($"The file {full} exists: it is not overwritten.");
        }
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        await using ConsistentRead read = await store.OpenConsistentReadAsync(cancellationToken);
        HeadRow head = await read.ReadHeadAsync(cancellationToken);
        string temporary = full + ".tmp";
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.Write,
                UnixCreateMode = AtomicFile.PrivateMode,
                BufferSize = 1 << 20,
            };
            using (var stream = new FileStream(temporary, options))
            using (var writer = new RowWriter(stream))
            {
                await TerminalProgress.RunAsync(
                    TerminalProgress.Terminal(invocation.Error), progress => WriteAsync(read, head, writer, progress, cancellationToken));
                stream.Flush(flushToDisk: true);
            }
            File.Move(temporary, full, overwrite: false);
            // After the export, the operator may delete the exported data, so the new file and its name must be safe from a power cut by
            // then.
            DurableFiles.SyncFolder(Path.GetDirectoryName(full)!);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The export cannot be written: {e.Message}", e);
        }
        finally
        {
            File.Delete(temporary);
        }
        await invocation.Output.WriteLineAsync(
            FormattableString.Invariant(
                $"exported {(head.Epoch is ulong last ? FormattableString.Invariant($"epochs 0 to {last}") : "an empty database")} to {full}"));
        return ExitCodes.Success;
    }

    private static async Task WriteAsync(
        ConsistentRead read, HeadRow head, RowWriter writer, TerminalProgress progress, CancellationToken cancellationToken)
    {
        foreach (PeriodRow period in await read.ReadPeriodsAsync(cancellationToken))
        {
            writer.Write(period);
        }
        IReadOnlyList<StoredEpoch> epochs;
        for (ulong first = 0; (epochs = await read.ReadEpochsAsync(first, Page, cancellationToken)).Count
            > 0; first = epochs[^1].Row.Epoch + 1)
        {
            foreach (StoredEpoch epoch in epochs)
            {
                writer.Write(epoch);
            }
        }
        await WritePagesAsync<StoredLeaf>(
            next => read.ReadLeavesAsync(next.First, next.Second, Page, cancellationToken), writer.Write,
            leaf => (leaf.Epoch, leaf.Ordinal), epoch => progress.Show("leaves of epochs", epoch, head.Epoch ?? 0));
        await WriteRequestsAsync(read, writer, cancellationToken);
        await WritePagesAsync<StoredErasure>(next => read.ReadErasuresAsync(next.First, next.Second, Page, cancellationToken), writer.Write,
            erasure => (erasure.DecidedIn, erasure.Number));
        await WritePagesAsync<StoredCopy>(next => read.ReadCopiesAsync(next.First, next.Second, Page, cancellationToken), writer.Write,
            copy => (copy.Period, copy.Number));
        writer.Finish(head);
    }

    // Writes all rows of one kind, page by page. It is for kinds whose rows are numbered within an epoch or a period.
    private static async Task WritePagesAsync<T>(
        Func<(ulong First, int Second), Task<IReadOnlyList<T>>> read, Action<T> write, Func<T, (ulong First, int Second)> placeOf,
        Action<ulong>? progress = null)
    {
        (ulong First, int Second) next = (0, 0);
        IReadOnlyList<T> rows;
        while ((rows = await read(next)).Count > 0)
        {
            foreach (T row in rows)
            {
                write(row);
            }
            next = placeOf(rows[^1]);
            next.Second++;
            progress?.Invoke(next.First);
        }
    }

    private static async Task WriteRequestsAsync(ConsistentRead read, RowWriter writer, CancellationToken cancellationToken)
    {
        // This method reads the same ranges of sequence numbers three times: once for the requests, once for the pending rows and once for
        // the outcomes. An export has all rows of one kind before the rows of the next kind.
        var ends = new List<long>();
        IReadOnlyList<StoredRequest> requests;
        for (long after = 0; (requests = await read.ReadRequestsAsync(after, Page, cancellationToken)).Count > 0; after = ends[^1])
        {
            foreach (StoredRequest request in requests)
            {
                writer.Write(request);
            }
            ends.Add(requests[^1].Sequence);
        }
        for (int i = 0; i < ends.Count; i++)
        {
            foreach (StoredPending pending in await read.ReadPendingAsync(i == 0 ? 0 : ends[i - 1], ends[i], cancellationToken))
            {
                writer.Write(pending);
            }
        }
        for (int i = 0; i < ends.Count; i++)
        {
            foreach (StoredOutcome outcome in await read.ReadOutcomesAsync(i == 0 ? 0 : ends[i - 1], ends[i], cancellationToken))
            {
                writer.Write(outcome);
            }
        }
    }
}
