using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Connects to this program's own https addresses, as a client would, and reads the expiry of the certificates that the program serves.
/// Thus the result does not depend on how Kestrel was configured, and is right even if a certificate has changed since the start. If the
/// program has no https address, the watch does nothing.
/// </summary>
internal sealed class CertificateWatch : BackgroundService
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly IServer _server;
    private readonly IHostApplicationLifetime _lifetime;
    private readonly ServedCertificates _served;
    private readonly TimeProvider _time;

    public CertificateWatch(IServer server, IHostApplicationLifetime lifetime, ServedCertificates served, TimeProvider time)
    {
        (_server, _lifetime, _served, _time) = (server, lifetime, served, time);
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        await _lifetime.StartedAsync(stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        BindingAddress[] addresses = [.. (_server.Features.Get<IServerAddressesFeature>()?.Addresses ?? []).Select(BindingAddress.Parse)
            .Where(address => address.Scheme == Uri.UriSchemeHttps && !address.IsUnixPipe)];
        while (addresses.Length > 0 && !stoppingToken.IsCancellationRequested)
        {
            foreach (BindingAddress address in addresses)
            {
                if (await ReadAsync(address, stoppingToken) is { } end)
                {
                    _served.Record(address.Port, end);
                }
            }
            await Task.Delay(s_interval, _time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Returns the certificate's expiry, or null if the connection failed before the server sent its certificate. In that case health checks
    // and request metrics show the fault.
    private static async Task<DateTimeOffset?> ReadAsync(BindingAddress address, CancellationToken stop)
    {
        DateTimeOffset? end = null;
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limited.CancelAfter(s_patience);
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(GetHost(address), address.Port, limited.Token);
            using var tls = new SslStream(client.GetStream());
            await tls.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = address.Host,
                    // The watch sends no request. It accepts every certificate, even one that clients no longer trust, because it only
                    // reads the expiry.
                    RemoteCertificateValidationCallback = (_, certificate, _, _) =>
                    {
                        end = certificate is X509Certificate2 served ? new DateTimeOffset(served.NotAfter) : null;
                        return end is not null;
                    },
                },
                limited.Token);
        }
        catch (Exception e) when (e is IOException or SocketException or AuthenticationException or OperationCanceledException)
        {
            // The handshake may fail after the server has sent its certificate, for example because the server demands a client
            // certificate.
        }
        return end;
    }

    // Returns the host to connect to. If the address means all network interfaces, the host is this machine's own address.
    private static string GetHost(BindingAddress address) =>
        IPAddress.TryParse(address.Host.Trim('[', ']'), out IPAddress? ip)
            ? (ip.Equals(IPAddress.Any) || ip.Equals(IPAddress.IPv6Any) ? IPAddress.Loopback : ip).ToString()
        : address.Host is "*" or "+" ? IPAddress.Loopback.ToString()
        : address.Host;
}
