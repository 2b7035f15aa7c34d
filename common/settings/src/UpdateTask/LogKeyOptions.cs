namespace Optiks.UpdateTask.Options;

/// <summary>
/// Configures where the log's signing key is stored (<c>Optiks:LogKey</c>; docs/operations/pkcs11.md). The key itself never changes.
/// </summary>
internal sealed class LogKeyOptions
{
    public const string Section = "Optiks:LogKey";

    /// <summary>
    /// The URI (RFC 7512) of the key in a PKCS#11 token, with module-path and pin-source:
    /// <c>pkcs11:token=...;object=...?module-path=...&amp;pin-source=...</c>. If the setting is empty, the key is in the data folder's file
    /// <c>log.key</c>, wrapped by the key-encryption key.
    /// </summary>
    /// <value>The default is empty.</value>
    public string Uri { get; set; } = "";
}
