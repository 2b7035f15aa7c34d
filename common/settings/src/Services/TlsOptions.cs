using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures the certificate for the addresses that begin with <c>https</c> (<c>Optiks:Tls</c>). At SIGHUP, the program reads the
/// certificate again, without closing any connection.
/// </summary>
internal sealed class TlsOptions
{
    public const string Section = "Optiks:Tls";

    /// <summary>The PEM file with the service's certificate, followed by the intermediate certificates between it and the root. If the
    /// setting is empty, the service uses the certificate that Kestrel's own settings name. If those settings name no certificate either,
    /// the service uses no TLS.</summary>
    /// <value>The default is empty.</value>
    [Setting(File = SettingFile.Public)]
    public string CertificateFile { get; set; } = "";

    /// <summary>The PEM file with the certificate's private key. The file must have mode 0600, and the key must not be encrypted.</summary>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";
}

/// <summary>Checks that either both files are named, or neither of them.</summary>
internal sealed class TlsOptionsValidator : IValidateOptions<TlsOptions>
{
    public ValidateOptionsResult Validate(string? name, TlsOptions options) =>
        string.IsNullOrEmpty(options.CertificateFile) == string.IsNullOrEmpty(options.KeyFile)
        ? ValidateOptionsResult.Success
        : ValidateOptionsResult.Fail(
            $"{TlsOptions.Section}: {nameof(TlsOptions.CertificateFile)} and {nameof(TlsOptions.KeyFile)} must be set together.");
}
