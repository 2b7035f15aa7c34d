using Microsoft.Extensions.Options;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>TlsOptions (<c>Optiks:Tls</c>) name the certificate of the addresses that begin with <c>https</c>. It is read again at SIGHUP, without an end to any connection.</summary>
internal sealed class TlsOptions
{
    public const string Section = "Optiks:Tls";

    /// <summary>CertificateFile in PEM: the service's certificate, then those between it and the root.</summary>
    /// <value>Empty: no TLS, or what Kestrel's own settings say.</value>
    [Setting(File = SettingFile.Public)]
    public string CertificateFile { get; set; } = "";

    /// <summary>KeyFile in PEM, mode 0600, not encrypted.</summary>
    [Setting(File = SettingFile.Secret)]
    public string KeyFile { get; set; } = "";
}

/// <summary>TlsOptionsValidator wants both files or none.</summary>
internal sealed class TlsOptionsValidator : IValidateOptions<TlsOptions>
{
    public ValidateOptionsResult Validate(string? name, TlsOptions options) => string.IsNullOrEmpty(options.CertificateFile) == string.IsNullOrEmpty(options.KeyFile)
        ? ValidateOptionsResult.Success
        : ValidateOptionsResult.Fail($"{TlsOptions.Section}: {nameof(TlsOptions.CertificateFile)} and {nameof(TlsOptions.KeyFile)} go together.");
}
