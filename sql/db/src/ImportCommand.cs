using Optiks.Commands;
using Optiks.Db.Fsck;
using Optiks.Db.Transfer;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db import</c>, which fills an empty database from an export.</summary>
internal static class ImportCommand
{
    private const int BatchRows = 4096;

    public static async Task<int> RunAsync(Invocation invocation, string path, string trust, CancellationToken cancellationToken)
    {
        var anchor = TrustAnchor.Load(trust);
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        FsckReport report = await TerminalProgress.RunAsync(TerminalProgress.Terminal(invocation.Error), async progress =>
        {
            await ImportFileAsync(store, path, progress, cancellationToken);
            return await DirectoryCheck.RunAsync(store, anchor, null, progress, cancellationToken);
        });
        await FsckCommand.WriteAsync(report, invocation);
        return report.Problems.Count == 0 ? ExitCodes.Success : ExitCodes.Invalid;
    }

    private static async Task ImportFileAsync(
        MaintenanceStore store, string path, TerminalProgress progress, CancellationToken cancellationToken)
    {
        try
        {
            using var stream = new FileStream(path, new FileStreamOptions { BufferSize = 1 << 20 });
            CheckWhole(stream);
            stream.Position = 0;
            await ImportAsync(store, stream, progress, cancellationToken);
        }
        catch (OverflowException e)
        {
            throw new StorageCorruptException("The export contains a number that the database cannot store: nothing was imported.", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The export cannot be read: {e.Message} Nothing was imported.", e);
        }
    }

    // Reads the whole file and verifies its checksum, before the import changes the database.
    private static void CheckWhole(FileStream stream)
    {
        using var reader = new RowReader(stream);
        while (reader.Next() != RowKind.End)
        {
        }
    }

    private static async Task ImportAsync(
        MaintenanceStore store, Stream stream, TerminalProgress progress, CancellationToken cancellationToken)
    {
        using var reader = new RowReader(stream);
        await using StorageImport import = await store.BeginImportAsync(cancellationToken);
        RowKind kind = reader.Next();
        kind = await CopyAsync(RowKind.Period, reader.Period, import.AddPeriodsAsync);
        kind = await CopyAsync(RowKind.Epoch, reader.Epoch, import.AddEpochsAsync);
        kind = await CopyAsync(RowKind.Leaf, reader.Leaf, import.AddLeavesAsync);
        kind = await CopyAsync(RowKind.Request, reader.ReadRequest, import.AddRequestsAsync);
        kind = await CopyAsync(RowKind.Pending, reader.Pending, import.AddPendingAsync);
        kind = await CopyAsync(RowKind.Outcome, reader.Outcome, import.AddOutcomesAsync);
        kind = await CopyAsync(RowKind.Erasure, reader.Erasure, import.AddErasuresAsync);
        kind = await CopyAsync(RowKind.Copy, reader.Copy, import.AddCopiesAsync);
        if (kind != RowKind.Head)
        {
            throw new StorageCorruptException("The export's rows are out of order: nothing was imported.");
        }
        HeadRow head = reader.ReadHead();
        if (reader.Next() != RowKind.End)
        {
            throw new StorageCorruptException("The export does not end after its head: nothing was imported.");
        }
        await import.CommitAsync(head, cancellationToken);

        async Task<RowKind> CopyAsync<T>(RowKind wanted, Func<T> read, Func<IReadOnlyList<T>, CancellationToken, Task> add)
        {
            var batch = new List<T>(BatchRows);
            while (kind == wanted)
            {
                batch.Add(read());
                kind = reader.Next();
                if (batch.Count == BatchRows || kind != wanted)
                {
                    await add(batch, cancellationToken);
                    batch.Clear();
                    progress.Show("bytes", (ulong)stream.Position, (ulong)stream.Length);
                }
            }
            return kind;
        }
    }
}
