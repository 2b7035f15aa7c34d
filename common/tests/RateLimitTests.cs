using System.Diagnostics.Metrics;
using System.Net.Http.Headers;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Optiks.ApiKeys;
using Optiks.ServiceDefaults;

namespace Optiks.Common.Tests;

/// <summary>Tests rate limits. Some tests use buckets and a clock that the test moves; others use a host and callers from several
/// addresses.</summary>
public sealed class RateLimitTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_bucket_gives_its_burst_and_then_its_rate()
    {
        var time = new ManualTime();
        var buckets = new CallerBuckets(new RateLimit { PerSecond = 2, Burst = 3 }, time);
        Assert.Equal([true, true, true, false], Enumerable.Range(0, 4).Select(_ => buckets.TryTake(1, out TimeSpan _)));
        Assert.False(buckets.TryTake(1, out TimeSpan wait));
        Assert.Equal(s_second / 2, wait);
        time.Advance(wait - TimeSpan.FromTicks(1));
        Assert.False(buckets.TryTake(1, out wait));
        Assert.Equal(TimeSpan.FromTicks(1), wait);
        time.Advance(wait);
        Assert.True(buckets.TryTake(1, out _));
        Assert.False(buckets.TryTake(1, out _));
        // After a long pause the bucket is full, but it holds no more tokens than the limit's `Burst`.
        time.Advance(TimeSpan.FromDays(30));
        Assert.Equal(3, Enumerable.Range(0, 10).Count(_ => buckets.TryTake(1, out TimeSpan _)));
    }

    [Fact]
    public void Over_a_long_time_no_caller_gets_more_than_the_rate()
    {
        var time = new ManualTime();
        var buckets = new CallerBuckets(new RateLimit { PerSecond = 7, Burst = 5 }, time);
        int given = 0;
        for (int step = 0; step < 100_000; step++)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            given += buckets.TryTake(1, out _) ? 1 : 0;
        }
        Assert.InRange(given, 699, 705);
    }

    [Fact]
    public void A_batch_is_paid_for_in_advance()
    {
        var time = new ManualTime();
        var buckets = new CallerBuckets(new RateLimit { PerSecond = 10, Burst = 1 }, time);
        Assert.True(buckets.TryTake(1, out _));
        buckets.Spend(1, 99);
        Assert.False(buckets.TryTake(1, out TimeSpan wait));
        Assert.Equal(10 * s_second, wait);
        // The first caller has spent its tokens, but another caller still has tokens.
        Assert.True(buckets.TryTake(2, out _));
    }

    [Fact]
    public void A_debt_has_a_limit()
    {
        var time = new ManualTime();
        var buckets = new CallerBuckets(new RateLimit { PerSecond = 0.001, Burst = 1 }, time);
        for (int i = 0; i < 1000; i++)
        {
            buckets.Spend(1, int.MaxValue);
        }
        Assert.False(buckets.TryTake(1, out TimeSpan wait));
        Assert.Equal(TimeSpan.FromSeconds(CallerBuckets.MaxSeconds), wait);
    }

    [Fact]
    public void Threads_together_get_what_one_gets()
    {
        var buckets = new CallerBuckets(new RateLimit { PerSecond = 1, Burst = 5000 }, new ManualTime());
        int given = 0;
        Parallel.For(0, 20_000, _ =>
        {
            if (buckets.TryTake(1, out TimeSpan _))
            {
                Interlocked.Increment(ref given);
            }
        });
        Assert.Equal(5000, given);
    }

    [Fact]
    public async Task A_caller_over_the_limit_is_told_when_to_come_back_and_others_are_not_held_up()
    {
        await using Host host = await Host.StartAsync();
        Assert.Equal([200, 200, 429], await host.ManyAsync(3, "192.0.2.1"));
        using HttpResponseMessage refused = await host.GetAsync("/lookups", "192.0.2.1");
        Assert.Equal(s_second * 100, refused.Headers.RetryAfter?.Delta);
        Assert.Equal("application/problem+json", refused.Content.Headers.ContentType?.MediaType);
        Assert.True(refused.Headers.CacheControl?.NoStore);
        JsonElement problem = JsonDocument.Parse(
            await refused.Content.ReadAsStringAsync(TestContext.Current.CancellationToken)).RootElement;
        Assert.Equal(ProblemTypes.RateLimited.Urn, problem.GetProperty("type").GetString());
        Assert.Equal([200, 200, 429], await host.ManyAsync(3, "192.0.2.2"));
        Assert.Equal(3, host.Limited);
    }

    [Fact]
    public async Task Each_kind_has_its_own_bucket_and_what_is_not_limited_has_none()
    {
        await using Host host = await Host.StartAsync();
        Assert.Equal([200, 200, 429], await host.ManyAsync(3, "192.0.2.1"));
        Assert.Equal([200, 429], await host.ManyAsync(2, "192.0.2.1", "/audits"));
        Assert.All(await host.ManyAsync(20, "192.0.2.1", "/statuses"), status => Assert.Equal(200, status));
        Assert.All(await host.ManyAsync(20, "192.0.2.1", "/free"), status => Assert.Equal(200, status));
        Assert.All(await host.ManyAsync(20, "192.0.2.1", "/health/live"), status => Assert.Equal(200, status));
    }

    [Fact]
    public async Task Items_are_counted_not_requests()
    {
        await using Host host = await Host.StartAsync();
        Assert.Equal(200, (int)(await host.GetAsync("/lookups/5", "192.0.2.1")).StatusCode);
        using HttpResponseMessage refused = await host.GetAsync("/lookups", "192.0.2.1");
        // The bucket had two tokens and five were taken, so it lacks three tokens. The next request needs one token, which the bucket has
        // after four intervals.
        Assert.Equal(4 * s_second * 100, refused.Headers.RetryAfter?.Delta);
    }

    [Theory]
    // Addresses in the same IPv6 /64 count as one caller, because one user can have a whole /64.
    [InlineData("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true)]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:3::1", false)]
    [InlineData("192.0.2.1", "::ffff:192.0.2.1", true)]
    [InlineData("192.0.2.1", "192.0.2.2", false)]
    // The caller is the rightmost address in the header that is not a trusted proxy, because trusted proxies wrote this address and
    // everything to the right of it.
    [InlineData("192.0.2.1", "203.0.113.9, 192.0.2.1", true)]
    [InlineData("192.0.2.1", "192.0.2.1, 127.0.0.9", true)]
    [InlineData("192.0.2.1", "192.0.2.1, 203.0.113.9", false)]
    public async Task Addresses_name_callers(string first, string second, bool same)
    {
        await using Host host = await Host.StartAsync();
        Assert.Equal([200, 200], await host.ManyAsync(2, first));
        Assert.Equal([same ? 429 : 200], await host.ManyAsync(1, second));
    }

    [Fact]
    public async Task The_header_of_anyone_but_a_proxy_is_ignored()
    {
        await using Host host = await Host.StartAsync(proxy: "10.0.0.0/8");
        Assert.Equal([200], await host.ManyAsync(1, "192.0.2.1"));
        Assert.Equal([200], await host.ManyAsync(1, "192.0.2.2"));
        Assert.Equal([429], await host.ManyAsync(1, "192.0.2.3"));
    }

    [Fact]
    public async Task A_key_names_its_caller_wherever_it_comes_from()
    {
        await using Host host = await Host.StartAsync();
        Assert.Equal([200, 200], await host.ManyAsync(2, "192.0.2.1", "/lookups", host.Key));
        Assert.Equal([429], await host.ManyAsync(1, "192.0.2.2", "/lookups", host.Key));
        // Requests without the key count for their address, which counts as another caller. Requests with a guessed key also count for
        // their address.
        Assert.Equal([200], await host.ManyAsync(1, "192.0.2.1"));
        Assert.Equal([401, 429], await host.ManyAsync(2, "192.0.2.1", "/lookups/closed", ApiKey.Generate()));
    }

    [Theory]
    [InlineData("Lookups:PerSecond", "-1")]
    [InlineData("Audits:Burst", "-1")]
    [InlineData("Proxies:0", "10.0.0.0/33")]
    [InlineData("Proxies:0", "proxy.example")]
    [InlineData("Proxies:0", "0.0.0.0/0")]
    [InlineData("Proxies:0", "::/0")]
    public async Task Limits_that_are_none_are_refused_at_the_start(string key, string value) =>
        await Assert.ThrowsAsync<OptionsValidationException>(() => Host.StartAsync(key: key, value: value));

    private sealed class Host : IAsyncDisposable
    {
        private readonly TemporaryFolder _folder = new();
        private readonly MeterListener _listener = new();
        private WebApplication? _app;
        private HttpClient? _client;
        private int _limited;

        public string Key { get; } = ApiKey.Generate();

        public int Limited => Volatile.Read(ref _limited);

        public static async Task<Host> StartAsync(string proxy = "127.0.0.0/8", string key = "Statuses:Burst", string value = "7")
        {
            var host = new Host();
            try
            {
                await host.StartAsync(new Dictionary<string, string?>
                {
                    [DataFolder.Variable] = host._folder.Path,
                    ["Optiks:RateLimits:Lookups:PerSecond"] = "0.01",
                    ["Optiks:RateLimits:Lookups:Burst"] = "2",
                    ["Optiks:RateLimits:Audits:PerSecond"] = "0.01",
                    ["Optiks:RateLimits:Proxies:0"] = proxy,
                    [$"Optiks:RateLimits:{key}"] = value,
                });
                return host;
            }
            catch
            {
                await host.DisposeAsync();
                throw;
            }
        }

        public async Task<HttpResponseMessage> GetAsync(string path, string address, string? key = null)
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, path);
            request.Headers.Add("X-Forwarded-For", address);
            request.Headers.Authorization = key is null ? null : new AuthenticationHeaderValue("Bearer", key);
            return await _client!.SendAsync(request, TestContext.Current.CancellationToken);
        }

        public async Task<IReadOnlyList<int>> ManyAsync(int requests, string address, string path = "/lookups", string? key = null)
        {
            var statuses = new List<int>();
            for (int i = 0; i < requests; i++)
            {
                using HttpResponseMessage response = await GetAsync(path, address, key);
                statuses.Add((int)response.StatusCode);
            }
            return statuses;
        }

        public async ValueTask DisposeAsync()
        {
            _listener.Dispose();
            _client?.Dispose();
            if (_app is not null)
            {
                await _app.DisposeAsync();
            }
            _folder.Dispose();
        }

        private async Task StartAsync(Dictionary<string, string?> settings)
        {
            AtomicFile.Write(_folder.Data.ApiKeys, ApiKeyFile.Format([new ApiKeyEntry("alice", ApiKey.Hash(Key), ApiScopes.Lookup)]),
                AtomicFile.PrivateMode);
            WebApplicationBuilder builder = WebApplication.CreateBuilder();
            builder.Configuration.AddInMemoryCollection(settings);
            builder.AddOptiksDefaults(
                new OptiksServiceOptions { Name = "test", DefaultUrl = "http://127.0.0.1:0", Settings = new Dictionary<string, Type>() });
            _app = builder.Build();
            _app.UseOptiksDefaults();
            IMeterFactory meters = _app.Services.GetRequiredService<IMeterFactory>();
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "optiks.service.rate_limited" && ReferenceEquals(instrument.Meter.Scope, meters))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref _limited, (int)count));
            _listener.Start();
            RateLimiter limiter = _app.Services.GetRequiredService<RateLimiter>();
            _app.MapGet("/lookups/{items:int=1}", (HttpContext context, int items) => limiter.Spend(context, RateLimitKind.Lookups, items))
                .LimitRate(RateLimitKind.Lookups);
            _app.MapGet("/lookups/closed", () => "secret").LimitRate(RateLimitKind.Lookups).Require(Access.Lookup);
            _app.MapGet("/statuses", () => "pending").LimitRate(RateLimitKind.Statuses);
            _app.MapGet("/audits", () => "proof").LimitRate(RateLimitKind.Audits);
            _app.MapGet("/free", () => "checkpoint");
            await _app.StartAsync(TestContext.Current.CancellationToken);
            _client = new HttpClient { BaseAddress = new Uri(_app.Urls.Single()) };
        }
    }
}
