using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>Writes the files of a board that the service reads.</summary>
internal static class BoardFiles
{
    /// <summary>
    /// Writes a checkpoint of the given size to a board's folder, and the trust anchor of its log, <see cref="ReceiptSetup.Anchor"/>, to
    /// the data folder.
    /// </summary>
    public static void WriteCheckpoint(DataFolder data, string folder, int size, TreeHash root = default)
    {
        ReceiptSetup.Anchor.Save(data.TrustAnchor);
        using NoteSigner log = ReceiptSetup.Signer();
        SignedNote note = SignedNote.SignAsync(new Checkpoint(log.Key.Name, (ulong)size, root).Encode(), log, CancellationToken.None)
            .AsTask().GetAwaiter().GetResult();
        AtomicFile.Write(Path.Combine(folder, "checkpoint"), note.Encode(), AtomicFile.PublicMode);
    }
}
