using System.Net;
using System.Net.Sockets;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>
/// Tests how the client deals with hostile servers: such a server cannot waste the client's time, write to the client's terminal or get the
/// client's API key. Also tests to which servers the client sends its requests.
/// </summary>
public sealed class TransportTests
{
    private static readonly TimeSpan s_within = TimeSpan.FromSeconds(2);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory(Timeout = 60_000)]
    [InlineData("/v1/lookup")]
    [InlineData("/v1/updates")]
    [InlineData("/log/checkpoint")]
    public async Task An_answer_that_never_ends_is_given_up(string path)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Server.Hang = asked => asked == path;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, TimeSpan.Zero, options => options with { AnswerWithin = s_within });
        var audit = new AuditorOptions
        {
            TrustAnchor = FixtureLog.Anchor,
            QueryUrls = fixture.Urls,
            StateFolder = fixture.Folder.In("auditor"),
            AnswerWithin = s_within,
        };
        using AuditorSession auditor = await AuditorSession.OpenAsync(audit, fixture.Http, fixture.Clock, Cancellation);
        Func<Task> call = path switch
        {
            "/v1/lookup" => () => client.LookupAsync("alice", Cancellation),
            "/v1/updates" => () => client.UpdateAsync("alice"u8.ToArray(), "two"u8.ToArray(), cancellationToken: Cancellation),
            _ => () => auditor.AuditAsync(null, Cancellation),
        };

        OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(call);

        Assert.Equal(ServerFailure.Unreachable, e.Failure);
        Assert.Contains("in time", e.Message, StringComparison.Ordinal);
        fixture.Server.Hang = _ => false;
        await call();
    }

    [Theory(Timeout = 60_000)]
    [InlineData(16 * 1024, 2000, true)]
    [InlineData(16, 2000, false)]
    [InlineData(16 * 1024, 200, false)]
    public async Task A_long_answer_may_take_its_time_while_it_comes_fast_enough(int octets, int withinMs, bool arrives)
    {
        // The whole answer takes 3 seconds, and thus longer than the time limit. The limit applies only if the answer arrives below the
        // least rate, or takes longer than ten times the limit.
        using var http = new HttpClient(
            new Answering(
                () => new HttpResponseMessage { Content = Json(new DrippingStream(12, octets, TimeSpan.FromMilliseconds(250))) }));
        var connection = new ServerConnection(http, null, TimeSpan.FromMilliseconds(withinMs), TimeProvider.System);
        Task<byte[]> answer = connection.SendAsync(
            new ServerRequest(new Uri("http://slow.test"), "/v1/x", MediaTypes.Json, 1 << 20), Cancellation);
        if (arrives)
        {
            Assert.Equal(12 * octets, (await answer).Length);
        }
        else
        {
            await Assert.ThrowsAsync<OptiksServerException>(() => answer);
        }
    }

    [Theory]
    [InlineData("reason phrase")]
    [InlineData("detail")]
    [InlineData("type")]
    public async Task Words_of_a_server_reach_no_terminal_as_they_are(string where)
    {
        const string Evil = "\u001b]0;x\u0007\u202e\u200b\u2028\U000E0041";
        using var http = new HttpClient(new Answering(() => new HttpResponseMessage(HttpStatusCode.Forbidden)
        {
            ReasonPhrase = where == "reason phrase" ? Evil : "Forbidden",
            Content = new StringContent(where switch
            {
                "detail" => System.Text.Json.JsonSerializer.Serialize(new { type = "urn:optiks:problem:forbidden", detail = Evil }),
                "type" => System.Text.Json.JsonSerializer.Serialize(new { type = "urn:optiks:problem:" + Evil }),
                _ => "",
            }),
        }));
        var connection = new ServerConnection(http, null, s_within, TimeProvider.System);

        OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(
            () => connection.SendAsync(new ServerRequest(new Uri("http://evil.test"), "/v1/x", MediaTypes.Json, 1 << 20), Cancellation));

        Assert.Equal(e.Message, DisplayText.Escape(e.Message));
        Assert.Contains("\\u001b]0;x\\u0007\\u202e\\u200b\\u2028\\udb40\\udc41", e.Message, StringComparison.Ordinal);
        Assert.Equal(DisplayText.Escape(e.Problem ?? ""), e.Problem ?? "");
    }

    [Fact]
    public async Task The_path_of_a_server_s_URL_stays()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Server.Prefix = "/kt/eu";
        foreach (string prefix in (string[])["kt/eu", "kt/eu/"])
        {
            Uri[] urls = [new Uri(fixture.Server.Url, prefix)];
            using JournalClientStateStore store = await fixture.OpenStoreAsync();
            OptiksClient client = fixture.Client(store, change: options => options with { QueryUrls = urls, UpdateUrl = urls[0] });
            Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
            Assert.Equal(UpdateStatus.Published, (await client.WaitAsync(
                await client.UpdateAsync("alice"u8.ToArray(), "two"u8.ToArray(), cancellationToken: Cancellation), TimeSpan.FromSeconds(5),
                Cancellation)).Status);
            var options = new AuditorOptions
            {
                TrustAnchor = FixtureLog.Anchor,
                QueryUrls = urls,
                StateFolder = fixture.Folder.In("auditor"),
            };
            using AuditorSession auditor = await AuditorSession.OpenAsync(options, fixture.Http, fixture.Clock, Cancellation);
            Assert.True((await auditor.AuditAsync(null, Cancellation)).IsValid);
            Assert.NotNull(await ServerConfiguration.FetchAsync(urls[0], fixture.Http, Cancellation));
        }
    }

    [Theory]
    [InlineData(false, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, false)]
    [InlineData(true, true, true)]
    public async Task A_lookup_carries_the_API_key_only_where_lookups_are_closed_and_the_user_said_so(
        bool closed, bool allowed, bool carried)
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        fixture.Server.LookupsAreClosed = closed;
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        OptiksClient client = fixture.Client(store, change: options => options with { AuthorizeLookups = allowed });
        if (closed && !allowed)
        {
            OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(() => client.LookupAsync("alice", Cancellation));
            Assert.Equal("unauthorized", e.Problem);
        }
        else
        {
            Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        }
        Assert.Equal(carried, fixture.Server.Authorized.Contains("/v1/lookup"));
    }

    [Theory]
    [InlineData("http://kt.example.org/", false)]
    [InlineData("http://192.0.2.1:8301/", false)]
    [InlineData("http://127.0.0.1:8301/", true)]
    [InlineData("http://[::1]:8301/", true)]
    [InlineData("http://localhost:8301/", true)]
    [InlineData("https://kt.example.org/", true)]
    public async Task The_API_key_is_never_sent_in_clear_to_another_machine(string url, bool sent)
    {
        var asked = new List<HttpRequestMessage>();
        using var http = new HttpClient(
            new Answering(() => new HttpResponseMessage { Content = Json(new MemoryStream("{}"u8.ToArray())) }, asked));
        var connection = new ServerConnection(http, _ => ValueTask.FromResult(FixtureServer.ApiKey), s_within, TimeProvider.System);
        Task<byte[]> AskAsync(bool authorize) =>
            connection.SendAsync(new ServerRequest(new Uri(url), "/v1/x", MediaTypes.Json, 100) { Authorize = authorize }, Cancellation);
        if (sent)
        {
            await AskAsync(authorize: true);
        }
        else
        {
            OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(() => AskAsync(authorize: true));
            Assert.Equal((ServerFailure.Insecure, false), (e.Failure, e.IsTransient));
            Assert.Contains("https", e.Message, StringComparison.Ordinal);
        }
        Assert.Equal(sent, asked.Any(request => request.Headers.Authorization is not null));
        // The client may send a request without an API key to this server, because nothing in such a request is secret.
        await AskAsync(authorize: false);
        Assert.Null(asked[^1].Headers.Authorization);
    }

    [Theory]
    [InlineData("http://127.0.0.1:8301/", "client", false)]
    [InlineData("http://127.0.0.1:8301/", "sockets", false)]
    [InlineData("http://127.0.0.1:8301/", "behind another", false)]
    [InlineData("http://127.0.0.1:8301/", "bypassed", true)]
    [InlineData("http://127.0.0.1:8301/", "unused", true)]
    [InlineData("https://kt.example.org/", "client", true)]
    public async Task Nothing_goes_in_clear_to_a_proxy_of_the_callers_client(string url, string kind, bool sent)
    {
        // This proxy only accepts connections, so that the test sees whether the client used the proxy. Over https a proxy could read
        // nothing more.
        using var proxy = new TcpListener(IPAddress.Loopback, 0);
        proxy.Start();
        var address = new Uri($"http://{proxy.LocalEndpoint}");
        IWebProxy uses = new WebProxy(address, BypassOnLocal: kind == "bypassed");
        using HttpMessageHandler handler = kind switch
        {
            "client" => new HttpClientHandler { Proxy = uses },
            "behind another" => new Outer(new SocketsHttpHandler { Proxy = uses }),
            _ => new SocketsHttpHandler { Proxy = uses, UseProxy = kind != "unused" },
        };
        using var http = new HttpClient(handler);

        Assert.Equal(sent ? null : address, ProxyCheck.FindReader(http, new Uri(url)));
        if (!sent)
        {
            var connection = new ServerConnection(http, _ => ValueTask.FromResult(FixtureServer.ApiKey), s_within, TimeProvider.System);
            OptiksServerException e = await Assert.ThrowsAsync<OptiksServerException>(
                () => connection.SendAsync(
                    new ServerRequest(new Uri(url), "/v1/x", MediaTypes.Json,
                        100)
                    { Body = ("alice"u8.ToArray(), MediaTypes.Json), Authorize = true }, Cancellation));
            Assert.Equal((ServerFailure.Insecure, false), (e.Failure, e.IsTransient));
            Assert.False(proxy.Pending());
        }
    }

    [Fact]
    public async Task A_token_is_asked_for_before_each_request_that_carries_it()
    {
        await using Fixture fixture = await Fixture.StartAsync();
        fixture.Publish(("alice", "one"));
        using JournalClientStateStore store = await fixture.OpenStoreAsync();
        int asked = 0;
        OptiksClient client = fixture.Client(store, change: options => options with
        {
            ApiKey = null,
            Token = _ => ValueTask.FromResult(++asked == 2 ? "e30.e30.AB" : FixtureServer.Token),
        });
        Assert.True((await client.LookupAsync("alice", Cancellation)).IsValid);
        Assert.Equal(0, asked);
        Assert.True((await client.HistoryAsync("alice"u8.ToArray(), Cancellation)).IsValid);
        Assert.Equal(1, asked);
        OptiksServerException e =
            await Assert.ThrowsAsync<OptiksServerException>(() => client.HistoryAsync("alice"u8.ToArray(), Cancellation));
        Assert.Equal("unauthorized", e.Problem);
        Assert.True((await client.HistoryAsync("alice"u8.ToArray(), Cancellation)).IsValid);
        Assert.Throws<ArgumentException>(
            () => fixture.Client(store, change: options => options with { Token = _ => ValueTask.FromResult(FixtureServer.Token) }));
    }

    private static StreamContent Json(Stream stream) => new(stream) { Headers = { ContentType = new(MediaTypes.Json) } };

    private sealed class Outer(HttpMessageHandler inner) : DelegatingHandler(inner);

    private sealed class Answering(Func<HttpResponseMessage> answer, List<HttpRequestMessage>? asked = null) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            asked?.Add(request);
            return Task.FromResult(answer());
        }
    }

    /// <summary>
    /// A stream that can be read as often as the parameter <paramref name="times"/> says. Each read returns, after a pause, as many octets
    /// as the parameter <paramref name="octets"/> says.
    /// </summary>
    private sealed class DrippingStream(int times, int octets, TimeSpan pause) : MemoryStream
    {
        private int _left = times;
        private int _rest;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_rest == 0)
            {
                await Task.Delay(pause, cancellationToken);
                _rest = _left-- > 0 ? octets : 0;
            }
            int read = Math.Min(_rest, buffer.Length);
            _rest -= read;
            return read;
        }
    }
}
