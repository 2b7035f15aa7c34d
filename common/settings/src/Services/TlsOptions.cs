using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Configures the certificate of the addresses that begin with <c>https</c> (<c>Optiks:Tls</c>). It is read again at SIGHUP, without
/// closing any connection.
/// </summary>
internal sealed class TlsOptions
{
    public const string Section = "Optiks:Tls";

    /// <summary>The certificate file in PEM: the service's certificate, then those between it and the root.</summary>
    /// <value>Empty: no TLS, or the certificate of Kestrel's own settings.</value>
    [Setting(File = SettingFile.Public)]
    public string CertificateFile { get; set; } = "";

    /// <summary>The key file in PEM, mode 0600, not encrypted.</summary>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";
}

/// <summary>Requires both files or neither.</summary>
internal sealed class TlsOptionsValidator : IValidateOptions<TlsOptions>
{
    public ValidateOptionsResult Validate(string? name, TlsOptions options) => string.IsNullOrEmpty(options.CertificateFile) == string.IsNullOrEmpty(options.KeyFile)
        ? ValidateOptionsResult.Success
        : ValidateOptionsResult.Fail($"{TlsOptions.Section}: {nameof(TlsOptions.CertificateFile)} and {nameof(TlsOptions.KeyFile)} must be set together.");
}
