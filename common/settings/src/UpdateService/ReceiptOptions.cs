using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>Configures receipts, the signed promises to publish updates (<c>Optiks:UpdateService:Receipts</c>;
/// docs/operations/receipts.md).</summary>
internal sealed class ReceiptOptions
{
    /// <summary>The file with this service's receipt key, which <c>optiks-db receipts key</c> makes. The service reads it at the start. If
    /// the setting is empty, the service gives no receipts.</summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";

    /// <summary>
    /// The file with the note in which the log's key vouches for the receipt key, which <c>optiks-db receipts vouch</c> makes. A change of
    /// the file takes effect within a second.
    /// </summary>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>The number of epochs that a receipt promises in addition to one epoch for each pending update.</summary>
    [Range(8, 1000)]
    [Setting(Unit = "epochs")]
    public int Margin { get; set; } = 16;

    /// <summary>The highest number of pending updates at which the service gives receipts. While more updates are pending, it gives
    /// none.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int MaxPending { get; set; } = 100_000;
}
