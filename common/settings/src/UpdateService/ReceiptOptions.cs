using System.ComponentModel.DataAnnotations;
using Optiks.Settings;

namespace Optiks.UpdateService.Options;

/// <summary>ReceiptOptions (<c>Optiks:UpdateService:Receipts</c>) have the service sign promises to publish updates (docs/operations/receipts.md).</summary>
internal sealed class ReceiptOptions
{
    /// <summary>KeyFile is this service's receipt key, which <c>optiks-db receipts key</c> makes. Read at the start.</summary>
    /// <value>Empty: the service gives no receipts.</value>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";

    /// <summary>KeysFile is the note in which the log's key vouches for it, which <c>optiks-db receipts vouch</c> makes. Changes are taken within a second.</summary>
    [Setting(File = SettingFile.Public)]
    public string KeysFile { get; set; } = "";

    /// <summary>Margin of a promise, in epochs, beside what is pending.</summary>
    [Range(8, 1000)]
    [Setting(Unit = "epochs")]
    public int Margin { get; set; } = 16;

    /// <summary>MaxPending updates: while more wait, no receipts are given.</summary>
    [Range(1, 1_000_000)]
    [Setting(Unit = "updates")]
    public int MaxPending { get; set; } = 100_000;
}
