using System.Net;

namespace Optiks.Common.Tests;

/// <summary>Tests which requests are sent through a proxy that environment variables name.</summary>
public sealed class HttpsOnlyProxyTests
{
    [Theory]
    [InlineData("http://127.0.0.1:8301/", false)]
    [InlineData("https://127.0.0.1:8301/", false)]
    [InlineData("http://localhost/", false)]
    [InlineData("https://[::1]/", false)]
    [InlineData("http://kt.example.org/", false)]
    [InlineData("https://kt.example.org/", true)]
    [InlineData("https://direct.example.org/", false)]
    public void It_carries_https_to_other_machines_alone(string url, bool carried)
    {
        var inner = new WebProxy("http://proxy.example.org:3128", false, ["direct\\.example\\.org"]);
        var proxy = new HttpsOnlyProxy(inner);

        Assert.Equal(carried ? inner.Address : null, proxy.GetProxy(new Uri(url)) is { } used && used != new Uri(url) ? used : null);
        Assert.Equal(!carried, proxy.IsBypassed(new Uri(url)));
    }

    [Fact]
    public void It_becomes_the_proxy_of_the_process_once()
    {
        IWebProxy before = HttpClient.DefaultProxy;
        try
        {
            HttpsOnlyProxy.Install();
            IWebProxy installed = HttpClient.DefaultProxy;
            HttpsOnlyProxy.Install();

            Assert.IsType<HttpsOnlyProxy>(installed);
            Assert.Same(installed, HttpClient.DefaultProxy);
        }
        finally
        {
            HttpClient.DefaultProxy = before;
        }
    }
}
