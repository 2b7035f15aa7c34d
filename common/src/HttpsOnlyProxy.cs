using System.Net;

namespace Optiks;

/// <summary>
/// Sends only https requests to other machines through a proxy, because the proxy cannot read their contents. In http requests the proxy
/// could read the API key and the names that are looked up. Requests to this machine are never sent through the proxy, because they must
/// not leave the machine.
/// </summary>
public sealed class HttpsOnlyProxy : IWebProxy
{
    private readonly IWebProxy _inner;

    /// <summary>Wraps the proxy that https requests use.</summary>
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
    /// Wraps the default proxy of this process's HttpClients, so that they do not use a proxy for http, even if <c>http_proxy</c>,
    /// <c>all_proxy</c> or a similar variable names one. Every program calls this method before its first request.
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
