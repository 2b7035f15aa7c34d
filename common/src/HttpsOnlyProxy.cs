using System.Net;

namespace Optiks;

/// <summary>
/// HttpsOnlyProxy uses another proxy for https to other machines alone. Through that a proxy carries encrypted connections; a request over http it would read whole, with the API key and the names that are looked up, and
/// what is asked of this machine is nobody else's.
/// </summary>
public sealed class HttpsOnlyProxy : IWebProxy
{
    private readonly IWebProxy _inner;

    /// <summary>HttpsOnlyProxy in front of another proxy.</summary>
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
    /// Makes it the proxy of all this process's HttpClients that have none of their own, in place of what <c>http_proxy</c>, <c>all_proxy</c> and the like name for http. Every program calls it before its first request.
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
