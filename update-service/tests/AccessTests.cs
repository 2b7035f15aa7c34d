using System.Diagnostics;
using System.Net.Http.Headers;
using Optiks.ApiKeys;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests which callers may write and read, and how often.</summary>
public sealed class AccessTests
{
    [Fact]
    public async Task Updates_need_a_key_with_the_scope()
    {
        await using Service service = await Service.StartAsync();
        AuthenticationHeaderValue good = service.Client.DefaultRequestHeaders.Authorization!;
        const string Body = """{"key":"alice","value":"v"}""";
        Answer accepted = await service.PostAsync(Body);
        Assert.Equal(202, accepted.Status);
        string path = accepted.Text("status_url")!;
        string before = service.Database.Contents();

        (AuthenticationHeaderValue? Key, string Type, int Status)[] refused =
        [
            (null, "unauthorized", 401),
            (new AuthenticationHeaderValue("Bearer", ApiKey.Generate()), "unauthorized", 401),
            (new AuthenticationHeaderValue("Basic", good.Parameter), "unauthorized", 401),
            (new AuthenticationHeaderValue("Bearer", service.OtherKey), "forbidden", 403),
        ];
        foreach ((AuthenticationHeaderValue? key, string type, int status) in refused)
        {
            service.Client.DefaultRequestHeaders.Authorization = key;
            (await service.PostAsync(Body)).IsProblem(type, status, null);
            (await service.GetAsync(path)).IsProblem(type, status, null);
            // The service checks the credential before it reads the body, so it gives the same answer for a malformed and for a valid body.
            (await service.PostAsync("nonsense")).IsProblem(type, status, null);
        }
        Assert.Equal(before, service.Database.Contents());
        service.Client.DefaultRequestHeaders.Authorization = good;
        Assert.Equal(200, (await service.GetAsync(path)).Status);
    }

    [Fact]
    public async Task A_broken_file_of_keys_is_told_by_health_and_changes_nothing()
    {
        await using Service service = await Service.StartAsync();
        byte[] good = await File.ReadAllBytesAsync(service.Data.ApiKeys, TestContext.Current.CancellationToken);
        Assert.DoesNotContain("invalid", await KeysHealthAsync(), StringComparison.Ordinal);
        AtomicFile.Write(service.Data.ApiKeys, "{"u8, AtomicFile.PrivateMode);
        await Eventually.IsAsync(
            async () => (await KeysHealthAsync()).Contains("the previous keys remain in effect", StringComparison.Ordinal));
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
        Assert.Equal(202, (await service.PostAsync("""{"key":"alice","value":"v"}""")).Status);
        AtomicFile.Write(service.Data.ApiKeys, good, AtomicFile.PrivateMode);
        await Eventually.IsAsync(async () => !(await KeysHealthAsync()).Contains("invalid", StringComparison.Ordinal));

        async Task<string> KeysHealthAsync() =>
            (await service.GetAsync("/health/ready")).Json.GetProperty("checks").GetProperty("api-keys").GetRawText();
    }

    [Theory]
    [InlineData("/health/live")]
    [InlineData("/health/ready")]
    [InlineData("/openapi/v1.json")]
    public async Task Health_and_description_are_open(string path)
    {
        await using Service service = await Service.StartAsync();
        service.Client.DefaultRequestHeaders.Authorization = null;
        Assert.Equal(200, (await service.GetAsync(path)).Status);
    }

    [Fact]
    public async Task A_limit_counts_updates_and_statuses_apart()
    {
        await using Service service = await Service.StartAsync(new Dictionary<string, string?>
        {
            ["Optiks:RateLimits:Updates:PerSecond"] = "0.01",
            ["Optiks:RateLimits:Updates:Burst"] = "3",
            ["Optiks:RateLimits:Statuses:PerSecond"] = "0.01",
        });
        long start = Stopwatch.GetTimestamp();
        Answer accepted = await service.PostAsync(
            """[{"key":"a","value":"v"},{"key":"b","value":"v"},{"items":[{"key":"c","value":"v"},{"key":"d","value":"v"}]}]""");
        Assert.Equal(202, accepted.Status);
        string before = service.Database.Contents();
        // The rate limit allows the caller three tokens at once, and the requests so far took four.
        Answer refused = await service.PostAsync("""{"key":"e","value":"v"}""");
        refused.IsProblem("rate-limited", 429, null);
        // The caller lacks two tokens of the rate limit. From the time of its first request on, it receives one token every 100 s.
        Assert.InRange(refused.Headers.RetryAfter!.Delta!.Value, TimeSpan.FromSeconds(200) - Stopwatch.GetElapsedTime(start),
            TimeSpan.FromSeconds(200));
        Assert.Equal(before, service.Database.Contents());
        string path = accepted.Json[0].GetProperty("status_url").GetString()!;
        Assert.Equal(200, (await service.GetAsync(path)).Status);
        (await service.GetAsync(path)).IsProblem("rate-limited", 429, null);
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
    }

    /// <summary>
    /// Tests that an update with a long value costs more tokens of the rate limit. Otherwise an update of 64 KiB would cost no more than an
    /// update of 20 bytes.
    /// </summary>
    [Fact]
    public async Task A_long_value_costs_more_of_the_limit()
    {
        await using Service service = await Service.StartAsync(new Dictionary<string, string?>
        {
            ["Optiks:RateLimits:Updates:PerSecond"] = "0.01",
            ["Optiks:RateLimits:Updates:Burst"] = "5",
        });
        foreach (int length in new[] { 4000, 4095, 8192 })
        {
            Assert.Equal(202, (await service.PostAsync($$"""{"key":"{{length % 10}}","value":"{{new string('x', length)}}"}""")).Status);
        }
        // The three updates cost 1, 2 and 3 tokens, and the rate limit allows the caller 5 tokens at once.
        (await service.PostAsync("""{"key":"e","value":"v"}""")).IsProblem("rate-limited", 429, null);
    }
}
