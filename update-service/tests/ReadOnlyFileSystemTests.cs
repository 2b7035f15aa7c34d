using Optiks.Storage.Sqlite.Tests;
using Optiks.Tests.Shared;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>
/// Tests a database that can be read but not written. Until the database can be written again, the service reports that it is not ready.
/// </summary>
public sealed class ReadOnlyFileSystemTests
{
    private const string Body = """{"key":"alice","value":"v"}""";

    [Fact]
    public async Task A_database_that_cannot_be_written_is_not_ready_until_it_can()
    {
        await using Service service = await Service.StartAsync();
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
        using (ReadOnlyMount.Over(service.Data.Root))
        {
            Assert.Equal(503, (await service.GetAsync("/health/ready")).Status);
            Assert.Equal(200, (await service.GetAsync("/health/live")).Status);
            (await service.PostAsync(Body)).IsProblem("unavailable", 503, null);
            Assert.Equal(0, service.Database.Requests());
        }
        await Eventually.IsAsync(async () => (await service.PostAsync(Body)).Status == 202);
        Assert.Equal(200, (await service.GetAsync("/health/ready")).Status);
    }
}
