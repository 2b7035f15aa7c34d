using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Tests;

/// <summary>
/// Tests the limits on the number of keys and epochs that one caller may ask about. The number of requests makes no difference. The service
/// never limits requests that show the log's progress.
/// </summary>
public sealed class RateLimitTests
{
    private const string Pairs = """[{"key":"alice"},{"key":"bob"}]""";

    [Fact]
    public async Task Keys_and_epochs_are_counted_and_the_newest_head_is_free()
    {
        await using TestLog log = await TestLog.CreateAsync();
        for (int i = 0; i < 4; i++)
        {
            await log.PublishAsync(("alice", $"value {i}"));
        }
        await using Replica replica = await Replica.StartReadyAsync(log, "limited", [.. Limit("Lookups", 5), .. Limit("Audits", 5)]);

        // An anonymous caller may ask about five keys. These requests ask about two, one and three keys. The third request exceeds the
        // limit by one key, but still gets its answer.
        _ = await replica.OctetsAsync(Replica.Post("/v1/lookup", Pairs));
        _ = await replica.OctetsAsync(Replica.Get("/v1/lookup?key=alice"));
        _ = await replica.OctetsAsync(Replica.Post("/v1/lookup", """[{"key":"alice"},{"key":"bob"},{"key":"carol"}]"""));
        _ = await replica.ProblemAsync(Replica.Post("/v1/lookup", Pairs), ProblemTypes.RateLimited);
        _ = await replica.ProblemAsync(Replica.Get("/v1/lookup?key=alice"), ProblemTypes.RateLimited);

        // A caller with an API key has a limit of its own.
        _ = await replica.OctetsAsync(Replica.Post("/v1/monitor", Pairs), asOwner: true);
        _ = await replica.OctetsAsync(Replica.Post("/v1/history", """[{"key":"alice"},{"key":"bob"},{"key":"carol"}]"""), asOwner: true);
        _ = await replica.ProblemAsync(Replica.Post("/v1/history", Pairs), ProblemTypes.RateLimited, asOwner: true);

        _ = await replica.OctetsAsync(Replica.Get("/v1/epochs/0-3/audit-proof"));
        _ = await replica.OctetsAsync(Replica.Get("/v1/epochs/3"));
        _ = await replica.OctetsAsync(Replica.Get("/v1/epochs/4/audit-proof"));
        _ = await replica.ProblemAsync(Replica.Get("/v1/epochs/4"), ProblemTypes.RateLimited);
        _ = await replica.ProblemAsync(Replica.Get("/v1/epochs/0-3/audit-proof"), ProblemTypes.RateLimited);
        foreach (string path in (string[])["/v1/epochs/latest", "/log/checkpoint", "/v1/configuration", "/health/ready",
            "/openapi/v1.json"])
        {
            _ = await replica.OctetsAsync(Replica.Get(path));
        }
    }

    private static string[] Limit(string kind, int burst) =>
        [$"--Optiks:RateLimits:{kind}:PerSecond", "0.01", $"--Optiks:RateLimits:{kind}:Burst", $"{burst}"];
}
