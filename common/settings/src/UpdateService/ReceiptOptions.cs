using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>Configures signed promises to publish updates (<c>Optiks:UpdateService:Receipts</c>; docs/operations/receipts.md).</summary>
internal sealed class ReceiptOptions
{
    /// <summary>The file with this service's receipt key, which <c>optiks-db receipts key</c> makes. Read at the start.</summary>
    /// <value>Empty: the service gives no receipts.</value>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";

    /// <summary>
    /// The file with the note in which the log's key vouches for the receipt key, which <c>optiks-db receipts vouch</c> makes. A change
    /// takes effect within a second.
    /// </summary>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>The margin of a promise, in epochs, in addition to the pending updates.</summary>
    [Range(8, 1000)]
    [Setting(Unit = "epochs")]
    public int Margin { get; set; } = 16;

    /// <summary>The most pending updates: while more wait, the service gives no receipts.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int MaxPending { get; set; } = 100_000;
}
