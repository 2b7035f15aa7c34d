using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.UpdateService.Tests.Support;

namespace Optiks.UpdateService.Tests;

/// <summary>Tests the faults that keep the service from starting.</summary>
public sealed class StartTests
{
    [Fact]
    public async Task A_database_that_is_not_there_or_not_migrated_is_refused_and_not_made()
    {
        using var folder = new TemporaryFolder();
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => CreateAsync(folder, []));
        Assert.False(File.Exists(folder.Data.Database));

        await new SqliteStorageProvider().CreateMigrator($"Data Source={folder.Data.Database}")
            .MigrateAsync(TestContext.Current.CancellationToken);
        await CreateAsync(folder, []);
    }

    [Fact]
    public async Task Settings_out_of_range_are_all_named()
    {
        OptionsValidationException refused = await Assert.ThrowsAsync<OptionsValidationException>(() =>
            Service.StartAsync(new() { ["Optiks:UpdateService:QueuedCallers"] = "0", ["Optiks:UpdateService:CommitUpdates"] = "0" }));
        Assert.Equal(2, refused.Failures.Count());
        await using Service service =
            await Service.StartAsync(new() { ["Optiks:UpdateService:QueuedCallers"] = "1", ["Optiks:UpdateService:CommitUpdates"] = "1" });
        Assert.Equal(202, (await service.PostAsync("""{"key":"alice","value":"v"}""")).Status);
    }

    [Theory]
    [InlineData("Optiks:Storage:Provider", "oracle")]
    [InlineData("Optiks:Storage:ConnectionString", "Data Source=:memory:")]
    public async Task Another_engine_or_a_database_that_loses_commits_is_refused(string name, string value)
    {
        using var folder = new TemporaryFolder();
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => CreateAsync(folder, new() { [name] = value }));
    }

    [Theory]
    [InlineData("Optiks:UpdateService:QueuedCaller", "5")]
    [InlineData("Optiks:Storage:Conection", "Data Source=a.db")]
    [InlineData("Optiks:UpdateServices:QueuedCallers", "5")]
    [InlineData("Optiks:UpdateService:QueuedCallers", "many")]
    public async Task A_setting_that_nobody_reads_or_that_is_not_of_its_type_is_refused(string name, string value)
    {
        using var folder = new TemporaryFolder();
        StartupException refused = await Assert.ThrowsAsync<StartupException>(() => CreateAsync(folder, new() { [name] = value }));
        Assert.Equal(ExitCodes.Configuration, refused.ExitCode);
        Assert.Contains(string.Join(':', name.Split(':').Take(2)), refused.Message, StringComparison.Ordinal);
    }

    private static async Task CreateAsync(TemporaryFolder folder, Dictionary<string, string?> settings)
    {
        settings[DataFolder.Variable] = folder.Path;
        await (await UpdateServiceHost.CreateAsync(
            [], [new SqliteStorageProvider()], builder => builder.Configuration.AddInMemoryCollection(settings))).DisposeAsync();
    }
}
