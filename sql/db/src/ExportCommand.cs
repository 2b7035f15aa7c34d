using Optiks.Commands;
using Optiks.Db.Transfer;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>ExportCommand is <c>optiks-db export</c>.</summary>
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
        await using IMaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        await using IConsistentRead read = await store.OpenConsistentReadAsync(cancellationToken);
        HeadRow head = await read.ReadHeadAsync(cancellationToken);
        string temporary = full + ".tmp";
        try
        {
            var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, UnixCreateMode = AtomicFile.PrivateMode, BufferSize = 1 << 20 };
            using (var stream = new FileStream(temporary, options))
            using (var writer = new RowWriter(stream))
            {
                await TerminalProgress.RunAsync(TerminalProgress.Terminal(invocation.Error), progress => WriteAsync(read, head, writer, progress, cancellationToken));
                stream.Flush(flushToDisk: true);
            }
            File.Move(temporary, full, overwrite: false);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The export cannot be written: {e.Message}", e);
        }
        finally
        {
            File.Delete(temporary);
        }
        await invocation.Output.WriteLineAsync(FormattableString.Invariant($"exported {(head.Epoch is ulong last ? FormattableString.Invariant($"epochs 0 to {last}") : "an empty database")} to {full}"));
        return ExitCodes.Success;
    }

    private static async Task WriteAsync(IConsistentRead read, HeadRow head, RowWriter writer, TerminalProgress progress, CancellationToken cancellationToken)
    {
        foreach (PeriodRow period in await read.ReadPeriodsAsync(cancellationToken))
        {
            writer.Write(period);
        }
        IReadOnlyList<StoredEpoch> epochs;
        for (ulong first = 0; (epochs = await read.ReadEpochsAsync(first, Page, cancellationToken)).Count > 0; first = epochs[^1].Row.Epoch + 1)
        {
            foreach (StoredEpoch epoch in epochs)
            {
                writer.Write(epoch);
            }
        }
        (ulong Epoch, int Ordinal) next = (0, 0);
        IReadOnlyList<StoredLeaf> leaves;
        while ((leaves = await read.ReadLeavesAsync(next.Epoch, next.Ordinal, Page, cancellationToken)).Count > 0)
        {
            foreach (StoredLeaf leaf in leaves)
            {
                writer.Write(leaf);
            }
            next = (leaves[^1].Epoch, leaves[^1].Ordinal + 1);
            progress.Show("leaves of epochs", next.Epoch, head.Epoch ?? 0);
        }
        await WriteRequestsAsync(read, writer, cancellationToken);
        await WriteErasuresAsync(read, writer, cancellationToken);
        await WriteCopiesAsync(read, writer, cancellationToken);
        writer.Finish(head);
    }

    private static async Task WriteErasuresAsync(IConsistentRead read, RowWriter writer, CancellationToken cancellationToken)
    {
        (ulong Epoch, int Number) next = (0, 0);
        IReadOnlyList<StoredErasure> erasures;
        while ((erasures = await read.ReadErasuresAsync(next.Epoch, next.Number, Page, cancellationToken)).Count > 0)
        {
            foreach (StoredErasure erasure in erasures)
            {
                writer.Write(erasure);
            }
            next = (erasures[^1].DecidedIn, erasures[^1].Number + 1);
        }
    }

    private static async Task WriteCopiesAsync(IConsistentRead read, RowWriter writer, CancellationToken cancellationToken)
    {
        (ulong Period, int Number) next = (0, 0);
        IReadOnlyList<StoredCopy> copies;
        while ((copies = await read.ReadCopiesAsync(next.Period, next.Number, Page, cancellationToken)).Count > 0)
        {
            foreach (StoredCopy copy in copies)
            {
                writer.Write(copy);
            }
            next = (copies[^1].Period, copies[^1].Number + 1);
        }
    }

    private static async Task WriteRequestsAsync(IConsistentRead read, RowWriter writer, CancellationToken cancellationToken)
    {
        // By the same ranges of numbers three times: kinds follow each other.
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
