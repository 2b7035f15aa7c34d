using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Optiks.ServiceDefaults;

/// <summary>
/// TlsSetup has listeners with TLS show the certificate of <see cref="TlsOptions"/>. Kestrel's own setting for certificates closes the listener when the file changes, and with it every connection.
/// </summary>
internal static class TlsSetup
{
    /// <summary>Add the certificate, if one is named. Throws <see cref="StartupException"/> or <see cref="Optiks.Secrets.SecretsException"/> when it does not do.</summary>
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
            // That there is one: the handshake itself takes it with the certificates above, which a selector cannot give.
            https.ServerCertificateSelector = (_, _) => certificate.Current.Leaf;
            https.OnAuthenticate = (_, handshake) =>
            {
                handshake.ServerCertificateSelectionCallback = null;
                handshake.ServerCertificateContext = certificate.Current.Context;
            };
        }));
    }
}
