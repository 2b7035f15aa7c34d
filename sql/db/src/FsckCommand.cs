using Optiks.Commands;
using Optiks.Db.Fsck;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db fsck</c>, which checks the whole database.</summary>
internal static class FsckCommand
{
    public static async Task<int> RunAsync(Invocation invocation, string trust, string? board, CancellationToken cancellationToken)
    {
        var anchor = TrustAnchor.Load(trust);
        if (board is not null && !Directory.Exists(board))
        {
            throw new StartupException($"There is no board at {Path.GetFullPath(board)}.");
        }
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        BoardPaths? paths = board is null ? null : new BoardPaths(Path.GetFullPath(board));
        FsckReport report = await TerminalProgress.RunAsync(
            TerminalProgress.Terminal(invocation.Error),
            progress => DirectoryCheck.RunAsync(store, anchor, paths, progress, cancellationToken));
        await WriteAsync(report, invocation);
        return report.Problems.Count == 0 ? ExitCodes.Success : ExitCodes.Invalid;
    }

    /// <summary>Prints the problems that a check found, and the counts of what it checked.</summary>
    public static async Task WriteAsync(FsckReport report, Invocation invocation)
    {
        TextWriter output = invocation.Output;
        if (invocation.Json)
        {
            await output.WriteLineAsync(JsonLine.Write(writer =>
            {
                writer.WriteBoolean("clean", report.Problems.Count == 0);
                writer.WriteNumber("epochs", report.Epochs);
                writer.WriteNumber("leaves", report.Leaves);
                writer.WriteNumber("requests", report.Requests);
                writer.WriteNumber("pending_updates", report.Pending);
                JsonText.WriteList(writer, "problems", report.Problems);
            }));
            return;
        }
        foreach (string problem in report.Problems)
        {
            await output.WriteLineAsync(problem);
        }
        string verdict = report.Problems.Count switch
        {
            0 => "clean",
            1 => "1 problem",
            int count => FormattableString.Invariant($"{count} problems")
        };
        await output.WriteLineAsync(FormattableString.Invariant(
            $"{verdict}: {report.Epochs} epochs, {report.Leaves} leaves, {report.Requests} requests, {report.Pending} pending updates"));
    }
}
