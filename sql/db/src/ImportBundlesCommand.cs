using Optiks.Commands;
using Optiks.Db.Fsck;
using Optiks.Db.Restore;
using Optiks.Pkcs11;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Storage;
using Optiks.Tlog;

namespace Optiks.Db;

/// <summary>Implements <c>optiks-db import-bundles</c>, which adds the epochs that an older copy of the database lacks.</summary>
internal static class ImportBundlesCommand
{
    public static async Task<int> RunAsync(
        Invocation invocation, string bundles, DataFolder folder, string? logKey, string? kek, CancellationToken cancellationToken)
    {
        string full = Path.GetFullPath(bundles);
        if (!Directory.Exists(full))
        {
            throw new StartupException($"There is no folder {full}.");
        }
        var anchor = TrustAnchor.Load(folder.TrustAnchor);
        var keys = KeyRings.Load(folder, kek);
        using ISecretSource secrets = LogSecretSource.Create(folder, keys, LogSecretSource.FindUri(logKey));
        using INoteSigner signer = secrets.OpenLogSigner(anchor);
        await using MaintenanceStore store = await invocation.OpenAsync(cancellationToken);
        BundleImportResult restored = await TerminalProgress.RunAsync(
            TerminalProgress.Terminal(invocation.Error),
            progress => BundleImport.RunAsync(
                store, anchor, signer, secrets, full, new BoardPaths(folder.Board), progress, cancellationToken));
        await invocation.Output.WriteLineAsync(restored.Text());
        return ExitCodes.Success;
    }
}
