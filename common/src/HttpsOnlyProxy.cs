using System.Net;

namespace Optiks;

/// <summary>
/// Uses another proxy only for https to other machines, whose encrypted connections the proxy cannot read. Over http the proxy would read
/// each request with its API key and the names that it looks up. Requests to this machine must not leave it.
/// </summary>
public sealed class HttpsOnlyProxy : IWebProxy
{
    private readonly IWebProxy _inner;

    /// <summary>Wraps another proxy.</summary>
    public HttpsOnlyProxy(IWebProxy inner)
    {
        _inner = inner;
    }

    /// <inheritdoc/>
    public ICredentials? Credentials
    {
        get => _inner.Credentials;
        set => _inner.Credentials = value;
    }

    /// <summary>
    /// Installs an instance as the default proxy of this process's HttpClients, in place of the proxies that <c>http_proxy</c>,
    /// <c>all_proxy</c> and the like name for http. Every program calls this method before its first request.
    /// </summary>
    public static void Install()
    {
        if (HttpClient.DefaultProxy is not HttpsOnlyProxy)
        {
            HttpClient.DefaultProxy = new HttpsOnlyProxy(HttpClient.DefaultProxy);
        }
    }

    /// <inheritdoc/>
    public Uri? GetProxy(Uri destination) => IsBypassed(destination) ? null : _inner.GetProxy(destination);

    /// <inheritdoc/>
    public bool IsBypassed(Uri host)
    {
        ArgumentNullException.ThrowIfNull(host);
        return host.Scheme != Uri.UriSchemeHttps || host.IsLoopback || _inner.IsBypassed(host);
    }
}
