namespace Optiks.Storage.Conformance;

/// <summary>Tests that only a migrator creates schemas, and that services accept only the schema version that their build needs.</summary>
public abstract class MigratorConformance : IAsyncLifetime
{
    private readonly IStorageFixture _fixture;
    private string _connectionString = "";

    protected MigratorConformance(IStorageFixture fixture) => _fixture = fixture;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _connectionString = await _fixture.CreateAsync();

    public async ValueTask DisposeAsync()
    {
        await _fixture.DropAsync(_connectionString);
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Services_refuse_a_database_that_was_not_migrated_and_say_what_to_run()
    {
        Func<Task>[] open =
        [
            () => _fixture.Provider.OpenAcceptAsync(_connectionString, Cancel),
            () => _fixture.Provider.OpenPipelineAsync(_connectionString, Cancel),
            () => _fixture.Provider.OpenFollowAsync(_connectionString, Cancel),
        ];
        foreach (Func<Task> one in open)
        {
            Assert.Contains("optiks-db migrate", (await Assert.ThrowsAsync<StorageMisconfiguredException>(one)).Message,
                StringComparison.Ordinal);
        }
        Assert.Equal(0, await _fixture.Provider.CreateMigrator(_connectionString).ReadVersionAsync(Cancel));
        _ = await _fixture.Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel);
        await using IFollowStore store = await _fixture.Provider.OpenFollowAsync(_connectionString, Cancel);
        Assert.Null((await store.ReadHeadAsync(Cancel)).Epoch);
    }

    [Fact]
    public async Task Migrating_again_changes_nothing()
    {
        Migrator migrator = _fixture.Provider.CreateMigrator(_connectionString);
        Assert.Equal(migrator.TargetVersion, (await migrator.MigrateAsync(Cancel)).Count);
        await using (PipelineStore store = await _fixture.Provider.OpenPipelineAsync(_connectionString, Cancel))
        {
            Assert.NotNull(await store.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel));
        }
        Assert.Empty(await migrator.MigrateAsync(Cancel));
        Assert.Equal(migrator.TargetVersion, await migrator.ReadVersionAsync(Cancel));
        await using PipelineStore again = await _fixture.Provider.OpenPipelineAsync(_connectionString, Cancel);
        Assert.Equal("holder", (await again.ReadHeadAsync(Cancel)).Holder);
    }

    [Fact]
    public async Task Of_many_migrators_at_once_each_step_is_run_by_one()
    {
        IReadOnlyList<string>[] applied = await Task.WhenAll(
            Enumerable.Range(0, 4).Select(_ => _fixture.Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel)));
        Assert.Equal(_fixture.Provider.CreateMigrator(_connectionString).TargetVersion, applied.Sum(names => names.Count));
    }
}
