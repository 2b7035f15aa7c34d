using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Makes TLS listeners use the certificate of <see cref="TlsOptions"/>. Kestrel's own setting for certificates is not used, because Kestrel
/// closes the listener and all its connections when the certificate's file changes.
/// </summary>
internal static class TlsSetup
{
    /// <summary>
    /// Sets up the certificate, if the settings name one. Throws <see cref="StartupException"/> or
    /// <see cref="Optiks.Secrets.SecretsException"/> if the certificate is unusable.
    /// </summary>
    public static void Add(WebApplicationBuilder builder)
    {
        TlsOptions options = builder.Configuration.GetSection(TlsOptions.Section).Get<TlsOptions>() ?? new TlsOptions();
        if (new TlsOptionsValidator().Validate(null, options) is { Failed: true } refused)
        {
            throw new StartupException(refused.FailureMessage);
        }
        if (options.CertificateFile.Length == 0)
        {
            return;
        }
        var certificate = new TlsCertificate(options.CertificateFile, options.KeyFile);
        builder.Services.AddSingleton(certificate);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureHttpsDefaults(https =>
        {
            // This selector only tells Kestrel that there is a certificate. The handshake takes the certificate and its issuers from the
            // options that are set below, because a selector cannot return issuers.
            https.ServerCertificateSelector = (_, _) => certificate.Current.Leaf;
            https.OnAuthenticate = (_, handshake) =>
            {
                handshake.ServerCertificateSelectionCallback = null;
                handshake.ServerCertificateContext = certificate.Current.Context;
            };
        }));
    }
}
