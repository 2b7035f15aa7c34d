using Optiks.Db.Restore;
using Optiks.Protocol;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db renew-mark</c>, which creates a lost high-water mark again.</summary>
internal static class RenewMarkCommand
{
    public static async Task<int> RunAsync(
        Invocation invocation, string[] checkpoints, DataFolder folder, CancellationToken cancellationToken)
    {
        var anchor = TrustAnchor.Load(folder.TrustAnchor);
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        HighWaterMark mark = await MarkRenewal.RunAsync(store, anchor, folder.Board, checkpoints, cancellationToken);
        await invocation.Output.WriteLineAsync(
            FormattableString.Invariant($"the high-water mark is at epoch {mark.Epoch}; start the update-task"));
        return ExitCodes.Success;
    }
}
