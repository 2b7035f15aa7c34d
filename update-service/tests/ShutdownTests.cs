using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests that the service answers accepted updates even after it is told to stop, and that a load balancer has time to notice that it
/// stops.
/// </summary>
public sealed class ShutdownTests
{
    [Fact]
    public async Task While_it_drains_it_takes_updates_and_sends_their_connections_away()
    {
        await using Service service =
            await Service.StartAsync(new Dictionary<string, string?> { ["Optiks:UpdateService:DrainTime"] = "00:00:02" });
        Answer before = await service.PostAsync("""{"key":"alice","value":"one"}""");
        Assert.Equal(202, before.Status);
        Assert.NotEqual(true, before.Headers.ConnectionClose);

        Task stopping = service.StopAsync();
        Answer health = await service.GetAsync("/health/ready");
        Assert.Equal(503, health.Status);
        Assert.Contains("The service is stopping.", health.Json.GetRawText(), StringComparison.Ordinal);
        Answer last = await service.PostAsync("""{"key":"alice","value":"two"}""");
        Assert.Equal(202, last.Status);
        Assert.True(last.Headers.ConnectionClose);
        Assert.False(stopping.IsCompleted);
        await stopping;
        await Assert.ThrowsAsync<HttpRequestException>(() => service.GetAsync("/health/ready"));
        Assert.Equal(2, service.Database.Pending().Count);
    }
}
