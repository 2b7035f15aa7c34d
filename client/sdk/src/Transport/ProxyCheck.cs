using System.Net;
using System.Runtime.CompilerServices;

namespace Optiks.Client;

/// <summary>
/// Tells whether a caller's HttpClient would show a request over http to a proxy. A proxy that the environment variable <c>http_proxy</c>
/// names even gets requests to this machine.
/// </summary>
internal static class ProxyCheck
{
    /// <summary>
    /// Returns the proxy that would read a request to the server; null if no proxy would read it, or if the HttpClient's handler is not one
    /// of .NET's own types.
    /// </summary>
    public static Uri? FindReader(HttpClient http, Uri server)
    {
        if (server.Scheme != Uri.UriSchemeHttp)
        {
            return null;
        }
        HttpMessageHandler? handler = HandlerOf(http);
        while (handler is DelegatingHandler outer)
        {
            handler = outer.InnerHandler;
        }
        IWebProxy? proxy = handler switch
        {
            SocketsHttpHandler { UseProxy: true } sockets => sockets.Proxy ?? HttpClient.DefaultProxy,
            HttpClientHandler { UseProxy: true } client => client.Proxy ?? HttpClient.DefaultProxy,
            _ => null,
        };
        return proxy is null || proxy.IsBypassed(server) || proxy.GetProxy(server) is not { } reader || reader == server ? null : reader;
    }

    // Reads a private field, because this library's API takes an HttpClient and .NET has no public way to get the client's handler.
    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_handler")]
    private static extern ref HttpMessageHandler HandlerOf(HttpMessageInvoker http);
}
