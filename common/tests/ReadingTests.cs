using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests how a host with the defaults treats URLs, methods, encodings of bodies, and web pages of other origins.</summary>
public sealed class ReadingTests : IAsyncLifetime
{
    private const string Page = "https://explorer.example.org";

    private readonly TemporaryFolder _folder = new();
    private WebApplication? _app;
    private HttpClient? _client;

    private HttpClient Client => _client!;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => await StartAsync(Page, "http://localhost:8080");

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _folder.Dispose();
    }

    [Theory]
    [InlineData("?sizes=5", "?sizes")]
    [InlineData("?Size=5", "?Size")]
    [InlineData("?part=5", "?part")]
    [InlineData("?size=5&size=5", "?size")]
    [InlineData("?size=5&SIZE=5", "?SIZE")]
    [InlineData("?size=5&x", "?x")]
    [InlineData("?=5", "?")]
    [InlineData("?alice%40example.org=5", "?")]
    [InlineData("?size=%", "?")]
    [InlineData("?size=%FF", "?")]
    [InlineData("?size=%e", "?")]
    [InlineData("?size=%0g", "?")]
    public async Task Unknown_repeated_and_misencoded_parameters_are_refused(string query, string field)
    {
        Assert.Equal((HttpStatusCode.BadRequest, "urn:optiks:problem:malformed-request", field), await ProblemAsync("/open" + query));
        foreach (string good in (string[])["", "?", "?size=5", "?size=", "?size=%C3%A9+%41"])
        {
            Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, "/open" + good)).StatusCode);
        }
    }

    [Theory]
    [InlineData("/health/live")]
    [InlineData("/openapi/v1.json")]
    [InlineData("/plain")]
    public async Task A_path_without_parameters_takes_none(string path)
    {
        Assert.Equal((HttpStatusCode.BadRequest, "urn:optiks:problem:malformed-request", "?a"), await ProblemAsync(path + "?a=1"));
        Assert.Equal(HttpStatusCode.OK, (await SendAsync(HttpMethod.Get, path)).StatusCode);
        // A request for a path that does not exist gets 404, whatever parameters it has.
        Assert.Equal(HttpStatusCode.NotFound, (await ProblemAsync("/missing?a=1")).Status);
    }

    [Theory]
    [InlineData("/open")]
    [InlineData("/plain")]
    [InlineData("/health/ready")]
    [InlineData("/openapi/v1.json")]
    public async Task Head_is_answered_as_get_is(string path)
    {
        HttpResponseMessage get = await SendAsync(HttpMethod.Get, path);
        HttpResponseMessage head = await SendAsync(HttpMethod.Head, path);
        Assert.Equal((get.StatusCode, get.Content.Headers.ContentType, get.Headers.ETag),
            (head.StatusCode, head.Content.Headers.ContentType, head.Headers.ETag));
        Assert.NotEmpty(await get.Content.ReadAsByteArrayAsync(Cancellation));
        Assert.Empty(await head.Content.ReadAsByteArrayAsync(Cancellation));
    }

    [Theory]
    [InlineData("gzip", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("br", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("identity, gzip", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("identity", HttpStatusCode.OK)]
    [InlineData(null, HttpStatusCode.OK)]
    public async Task An_encoded_body_is_refused(string? encoding, HttpStatusCode expected)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post,
            "/echo")
        { Content = new StringContent("{}", new MediaTypeHeaderValue("application/json")) };
        if (encoding is not null)
        {
            request.Content.Headers.TryAddWithoutValidation("Content-Encoding", encoding);
        }
        using HttpResponseMessage response = await Client.SendAsync(request, Cancellation);
        Assert.Equal(expected, response.StatusCode);
    }

    [Fact]
    public async Task Pages_of_named_origins_read_what_is_open()
    {
        foreach (string origin in (string[])[Page, "http://localhost:8080"])
        {
            HttpResponseMessage answer = await SendAsync(HttpMethod.Get, "/open", origin);
            Assert.Equal(origin, Header(answer, "Access-Control-Allow-Origin"));
            Assert.Null(Header(answer, "Access-Control-Allow-Credentials"));
            Assert.Contains("Origin", answer.Headers.Vary);
            // Error answers also have the header that admits the page's origin. So the page can read the reason of the error.
            HttpResponseMessage problem = await SendAsync(HttpMethod.Get, "/open?x=1", origin);
            Assert.Equal((HttpStatusCode.BadRequest, origin), (problem.StatusCode, Header(problem, "Access-Control-Allow-Origin")));
        }
        HttpResponseMessage preflight = await SendAsync(HttpMethod.Options, "/open", Page, "GET");
        Assert.Equal((HttpStatusCode.NoContent, Page), (preflight.StatusCode, Header(preflight, "Access-Control-Allow-Origin")));
        // Even an answer to a request without an origin says that the answer depends on the origin. Otherwise a cache could give this
        // answer to a page, which needs the header that admits its origin.
        Assert.Equal(["Accept", "Origin"], (await SendAsync(HttpMethod.Get, "/open")).Headers.Vary);
    }

    [Theory]
    [InlineData("/open", "https://evil.example.org")]
    [InlineData("/open", "http://explorer.example.org")]
    [InlineData("/open", "null")]
    [InlineData("/write", Page)]
    [InlineData("/plain", Page)]
    [InlineData("/health/ready", Page)]
    public async Task Other_pages_and_what_needs_a_key_get_nothing(string path, string origin)
    {
        Assert.Null(Header(await SendAsync(HttpMethod.Get, path, origin), "Access-Control-Allow-Origin"));
        Assert.Null(Header(await SendAsync(HttpMethod.Options, path, origin, "POST"), "Access-Control-Allow-Origin"));
    }

    [Fact]
    public async Task By_default_no_page_does()
    {
        await StopAsync();
        await StartAsync();
        Assert.Null(Header(await SendAsync(HttpMethod.Get, "/open", Page), "Access-Control-Allow-Origin"));
        Assert.Null(Header(await SendAsync(HttpMethod.Options, "/open", Page, "GET"), "Access-Control-Allow-Origin"));
        Assert.Equal(["Accept"], (await SendAsync(HttpMethod.Get, "/open", Page)).Headers.Vary);
        await StopAsync();
        await StartAsync("*");
        Assert.Equal("*", Header(await SendAsync(HttpMethod.Get, "/open", "https://anyone.example.org"), "Access-Control-Allow-Origin"));
        Assert.Null(Header(await SendAsync(HttpMethod.Get, "/write", "https://anyone.example.org"), "Access-Control-Allow-Origin"));
    }

    [Theory]
    [InlineData("explorer.example.org")]
    [InlineData("https://explorer.example.org/")]
    [InlineData("https://Explorer.example.org")]
    [InlineData("https://explorer.example.org:443")]
    [InlineData("https://user@explorer.example.org")]
    [InlineData("ftp://explorer.example.org")]
    [InlineData("https://*.example.org")]
    [InlineData("")]
    [InlineData("*", Page)]
    public async Task What_is_no_origin_is_a_matter_of_configuration(params string[] origins)
    {
        await StopAsync();
        await Assert.ThrowsAsync<OptionsValidationException>(() => StartAsync(origins));
    }

    private static string? Header(HttpResponseMessage answer, string name) =>
        answer.Headers.TryGetValues(name, out IEnumerable<string>? values) ? values.Single() : null;

    private async Task StartAsync(params string[] origins)
    {
        AtomicFile.Write(_folder.Data.ApiKeys,
            ApiKeyFile.Format([new ApiKeyEntry("alice", ApiKey.Hash(ApiKey.Generate()), ApiScopes.Update)]), AtomicFile.PrivateMode);
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { [DataFolder.Variable] = _folder.Path });
        builder.Configuration.AddInMemoryCollection(
            origins.Select((origin, i) => KeyValuePair.Create($"Optiks:Cors:Origins:{i}", (string?)origin)));
        builder.AddOptiksDefaults(new OptiksServiceOptions
        {
            Name = "test",
            DefaultUrl = "http://127.0.0.1:0",
            Settings = new Dictionary<string, Type>(),
            Api = new ApiDocument(
                """{"info": {"title": "Test"}, "paths": {"/open": {"get": {"parameters": [{"name": "size", "in": "query"}, {"name": "part", "in": "path"}]}}}}"""u8.ToArray()),
        });
        _app = builder.Build();
        _app.UseOptiksDefaults();
        _app.MapRead("/open", (HttpContext context) =>
        {
            context.Response.Headers.Vary = "Accept";
            return "read";
        }).AllowBrowsers();
        _app.MapRead("/plain", () => "plain");
        _app.MapRead("/write", () => "written").Require(Access.Update);
        _app.MapPost("/echo", (HttpRequest request) => RequestBody.MediaType(request, "application/json"));
        await _app.StartAsync(Cancellation);
        _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
    }

    private async Task StopAsync()
    {
        _client?.Dispose();
        if (_app is not null)
        {
            await _app.DisposeAsync();
            _app = null;
        }
    }

    private async Task<HttpResponseMessage> SendAsync(HttpMethod method, string path, string? origin = null, string? preflight = null)
    {
        // The URI is made so that the path is sent unchanged. By default HttpClient would encode some characters.
        using var request = new HttpRequestMessage(
            method,
            new Uri(Client.BaseAddress!.GetLeftPart(UriPartial.Authority) + path,
                new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true }));
        if (origin is not null)
        {
            request.Headers.Add("Origin", origin);
        }
        if (preflight is not null)
        {
            request.Headers.Add("Access-Control-Request-Method", preflight);
        }
        return await Client.SendAsync(request, Cancellation);
    }

    private async Task<(HttpStatusCode Status, string? Type, string? Field)> ProblemAsync(string path)
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Get, path);
        using var problem = JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync(Cancellation));
        return (response.StatusCode, problem.RootElement.GetProperty("type").GetString(),
            problem.RootElement.TryGetProperty("field", out JsonElement field) ? field.GetString() : null);
    }
}
