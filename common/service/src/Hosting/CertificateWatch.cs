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
/// CertificateWatch asks this program's own addresses of https which certificate they serve, as clients do: whatever gave it to Kestrel, and however it was changed since. Without such an address it
/// does nothing.
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
                    _served.Saw(address.Port, end);
                }
            }
            await Task.Delay(s_interval, _time, stoppingToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Null: it did not get that far, which health and metrics of requests show.
    private static async Task<DateTimeOffset?> ReadAsync(BindingAddress address, CancellationToken stop)
    {
        DateTimeOffset? end = null;
        using var limited = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limited.CancelAfter(s_patience);
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(HostOf(address), address.Port, limited.Token);
            using var tls = new SslStream(client.GetStream());
            await tls.AuthenticateAsClientAsync(
                new SslClientAuthenticationOptions
                {
                    TargetHost = address.Host,
                    // Nothing is sent: which certificate it is, is the question. Also of one that nobody would trust any more.
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
            // After the certificate: a server that asks for the client's.
        }
        return end;
    }

    // Any address of the machine: this one.
    private static string HostOf(BindingAddress address) =>
        IPAddress.TryParse(address.Host.Trim('[', ']'), out IPAddress? ip) ? (ip.Equals(IPAddress.Any) || ip.Equals(IPAddress.IPv6Any) ? IPAddress.Loopback : ip).ToString()
        : address.Host is "*" or "+" ? IPAddress.Loopback.ToString()
        : address.Host;
}
