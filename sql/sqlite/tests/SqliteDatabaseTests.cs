using Optiks.Storage.Sqlite.Engine;

namespace Optiks.Storage.Sqlite.Tests;

/// <summary>Tests the properties that only SQLite has: files, settings and other programs' databases.</summary>
public sealed class SqliteDatabaseTests : IAsyncLifetime
{
    private readonly SqliteFixture _fixture = new();
    private string _connectionString = "";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private string DatabasePath => SqliteFixture.PathOf(_connectionString);

    private IStorageProvider Provider => _fixture.Provider;

    public async ValueTask InitializeAsync()
    {
        _connectionString = await _fixture.CreateAsync();
        _ = await Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel);
    }

    public async ValueTask DisposeAsync() => await _fixture.DropAsync(_connectionString);

    [Fact]
    public async Task A_file_that_is_being_migrated_is_never_taken_for_another_programs()
    {
        for (int round = 0; round < 20; round++)
        {
            string connectionString = await _fixture.CreateAsync();
            Migrator migrator = Provider.CreateMigrator(connectionString);
            Task<IReadOnlyList<string>> migration = migrator.MigrateAsync(Cancel);
            while (!migration.IsCompleted)
            {
                Assert.InRange(await migrator.ReadVersionAsync(Cancel), 0, migrator.TargetVersion);
            }
            Assert.Equal(migrator.TargetVersion, (await migration).Count);
            await _fixture.DropAsync(connectionString);
        }
    }

    [Theory]
    [InlineData("deleted")]
    [InlineData("moved")]
    [InlineData("replaced")]
    public async Task A_file_that_is_not_the_opened_one_any_more_is_not_written_to(string how)
    {
        string backup = DatabasePath + ".backup";
        File.Copy(DatabasePath, backup);
        await using IAcceptStore accept = await Provider.OpenAcceptAsync(_connectionString, Cancel);
        await using PipelineStore pipeline = await Provider.OpenPipelineAsync(_connectionString, Cancel);
        await using IFollowStore follow = await Provider.OpenFollowAsync(_connectionString, Cancel);
        AcceptUnit Unit() =>
            new(
                [new AcceptRequest(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), new byte[32],
                    [new AcceptItem(Protocol.StructureId.Keys, "k"u8.ToArray(), default, null)])]);
        Assert.Equal(AcceptStatus.Accepted, (await accept.AcceptAsync([Unit()], Cancel))[0].Status);
        Assert.NotNull(await pipeline.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel));

        switch (how)
        {
            case "deleted":
                File.Delete(DatabasePath);
                break;
            case "moved":
                File.Move(DatabasePath, DatabasePath + ".moved");
                break;
            default:
                File.Move(backup, DatabasePath, overwrite: true);
                break;
        }
        Func<Task>[] uses =
        [
            () => accept.AcceptAsync([Unit()], Cancel),
            () => accept.ReadStatusAsync(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), Cancel),
            () => pipeline.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel),
            () => follow.ReadHeadAsync(Cancel),
        ];
        // The test runs each use twice, because a use must not accept the new file at the path even after it was refused once.
        foreach (Func<Task> use in uses.Concat(uses))
        {
            StorageMisconfiguredException e = await Assert.ThrowsAsync<StorageMisconfiguredException>(use);
            Assert.Contains("deleted, moved or replaced", e.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task What_is_committed_comes_into_the_file_while_services_run()
    {
        const int Enough = 8 << 20;
        await using IAcceptStore accept = await Provider.OpenAcceptAsync(_connectionString, Cancel);
        byte[] value = new byte[64 << 10];
        int stored = 0;
        // A commit copies no pages into the file itself, so the file grows only when the checkpointer copies them.
        while (new FileInfo(DatabasePath).Length < Enough)
        {
            Assert.InRange(stored, 0, 16 * Enough);
            var id = Guid.CreateVersion7(TimeProvider.System.GetUtcNow());
            var request = new AcceptRequest(id, new byte[32], [new AcceptItem(Protocol.StructureId.Keys, id.ToByteArray(), value, null)]);
            Assert.Equal(AcceptStatus.Accepted, (await accept.AcceptAsync([new AcceptUnit([request])], Cancel))[0].Status);
            stored += value.Length;
        }
    }

    [Theory]
    [InlineData("Synchronous=NORMAL", "lose commits")]
    [InlineData("Synchronous=OFF", "lose commits")]
    [InlineData("Mode=Memory", "unknown")]
    [InlineData("Busy Timeout=soon", "number of seconds")]
    [InlineData("Busy Timeout=-1", "number of seconds")]
    public async Task Settings_that_could_lose_commits_or_are_unknown_are_refused(string setting, string says)
    {
        StorageMisconfiguredException e = await Assert.ThrowsAsync<StorageMisconfiguredException>(
            () => Provider.OpenAcceptAsync($"{_connectionString};{setting}", Cancel));
        Assert.Contains(says, e.Message, StringComparison.OrdinalIgnoreCase);
        await using IAcceptStore good = await Provider.OpenAcceptAsync($"{_connectionString};Synchronous=EXTRA;Busy Timeout=1.5", Cancel);
        Assert.Null((await good.ReadHeadAsync(Cancel)).Epoch);
    }

    [Theory]
    [InlineData("postgresql://user:s3cret@db/optiks?sslmode=require")]
    [InlineData("Host=db;Password=s3cret")]
    [InlineData("Data Source=/tmp/x;s3cret=1")]
    [InlineData("Synchronous=s3cret")]
    [InlineData("s3cret")]
    public void Nothing_of_a_string_that_is_none_is_said(string connectionString)
    {
        StorageMisconfiguredException e = Assert.Throws<StorageMisconfiguredException>(() => SqliteSettings.Parse(connectionString));
        Assert.DoesNotContain("s3cret", e.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Data Source=:memory:")]
    [InlineData("Data Source=file:x?mode=memory")]
    [InlineData("Data Source=")]
    [InlineData("no connection string")]
    public void Databases_that_are_no_files_are_refused(string connectionString) =>
        Assert.Throws<StorageMisconfiguredException>(
            () => Provider.CreateMigrator(connectionString.Length == 12 ? "Data Source=''" : connectionString));

    [Fact]
    public void Every_connection_syncs_fully()
    {
        using Connection connection = SqliteFixture.Open(_connectionString);
        Assert.Equal(2, connection.ReadLong("PRAGMA synchronous"));
        Assert.Equal("wal", connection.ReadText("PRAGMA journal_mode"));
        SqliteSchema.ThrowIfUnusable(connection);
        connection.Execute("PRAGMA synchronous = NORMAL");
        StorageMisconfiguredException e = Assert.Throws<StorageMisconfiguredException>(() => SqliteSchema.ThrowIfUnusable(connection));
        Assert.Contains("loses commits", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_database_without_the_write_ahead_log_is_refused()
    {
        using (Connection connection = SqliteFixture.Open(_connectionString))
        {
            connection.Execute("PRAGMA journal_mode = DELETE");
        }
        StorageMisconfiguredException e =
            await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Provider.OpenAcceptAsync(_connectionString, Cancel));
        Assert.Contains("WAL", e.Message, StringComparison.Ordinal);
        _ = await Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel);
        await using IAcceptStore store = await Provider.OpenAcceptAsync(_connectionString, Cancel);
    }

    [Fact]
    public async Task A_newer_schema_is_refused_by_services_and_by_the_migrator()
    {
        using (Connection connection = SqliteFixture.Open(_connectionString))
        {
            connection.Execute("INSERT INTO migration (version, applied_at, name) VALUES (99, 0, 'from the future')");
        }
        StorageMisconfiguredException e =
            await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Provider.OpenFollowAsync(_connectionString, Cancel));
        Assert.Contains("newer", e.Message, StringComparison.Ordinal);
        e = await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel));
        Assert.Contains("nothing was changed", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_programs_files_are_left_alone()
    {
        using (Connection connection = SqliteFixture.Open(_connectionString))
        {
            connection.Execute("PRAGMA application_id = 7");
        }
        byte[] before = await File.ReadAllBytesAsync(DatabasePath, Cancel);
        await Assert.ThrowsAsync<StorageMisconfiguredException>(() => Provider.CreateMigrator(_connectionString).MigrateAsync(Cancel));
        Assert.Equal(before, await File.ReadAllBytesAsync(DatabasePath, Cancel));

        string text = Path.Combine(Path.GetDirectoryName(DatabasePath)!, "notes.txt");
        await File.WriteAllTextAsync(text, new string('x', 5000), Cancel);
        StorageException e = await Assert.ThrowsAnyAsync<StorageException>(() => Provider.OpenAcceptAsync($"Data Source={text}", Cancel));
        Assert.Contains("not a SQLite database", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_write_lock_that_is_held_too_long_is_an_unavailable_database()
    {
        await using PipelineStore store = await Provider.OpenPipelineAsync($"{_connectionString};Busy Timeout=0.1", Cancel);
        using (Connection other = SqliteFixture.Open(_connectionString))
        {
            other.Execute("BEGIN IMMEDIATE");
            await Assert.ThrowsAsync<StorageUnavailableException>(() => store.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel));
            Assert.Equal("", (await store.ReadHeadAsync(Cancel)).Holder);
        }
        Assert.NotNull(await store.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel));
    }

    [Fact]
    public async Task A_file_system_that_takes_no_writes_is_unavailable_until_it_does()
    {
        await using IAcceptStore accept = await Provider.OpenAcceptAsync(_connectionString, Cancel);
        await using PipelineStore pipeline = await Provider.OpenPipelineAsync(_connectionString, Cancel);
        Assert.NotNull(await pipeline.AcquireLeaseAsync("holder", TimeSpan.FromMinutes(1), Cancel));
        AcceptUnit Unit() =>
            new(
                [new AcceptRequest(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()), new byte[32],
                    [new AcceptItem(Protocol.StructureId.Keys, "k"u8.ToArray(), default, null)])]);
        await accept.CheckWritableAsync(Cancel);
        using (ReadOnlyMount.Over(Path.GetDirectoryName(DatabasePath)!))
        {
            Func<Task>[] uses =
            [
                () => accept.CheckWritableAsync(Cancel),
                () => accept.AcceptAsync([Unit()], Cancel),
                // A standby makes this call. It writes nothing, because another task holds the lease.
                () => pipeline.AcquireLeaseAsync("other", TimeSpan.FromMinutes(1), Cancel),
                () => Provider.OpenAcceptAsync(_connectionString, Cancel),
                () => Provider.OpenPipelineAsync(_connectionString, Cancel),
            ];
            foreach (Func<Task> use in uses)
            {
                StorageUnavailableException e = await Assert.ThrowsAsync<StorageUnavailableException>(use);
                Assert.Contains("mounted read-only", e.Message, StringComparison.Ordinal);
            }
            Assert.Equal("holder", (await accept.ReadHeadAsync(Cancel)).Holder);
        }
        await accept.CheckWritableAsync(Cancel);
        Assert.Equal(AcceptStatus.Accepted, (await accept.AcceptAsync([Unit()], Cancel))[0].Status);
        Assert.Null(await pipeline.AcquireLeaseAsync("other", TimeSpan.FromMinutes(1), Cancel));
    }

    [Fact]
    public async Task A_follower_cannot_write()
    {
        using Connection connection = Connection.Open(SqliteSettings.Parse(_connectionString), readOnly: true);
        Assert.Throws<StorageMisconfiguredException>(() => connection.Execute("UPDATE head SET fence = 7"));
        await using IFollowStore follow = await Provider.OpenFollowAsync(_connectionString, Cancel);
        Assert.Equal(0, (await follow.ReadHeadAsync(Cancel)).Fence);
    }

    [Fact]
    public async Task Missing_leaves_are_noticed()
    {
        await using PipelineStore pipeline = await Provider.OpenPipelineAsync(_connectionString, Cancel);
        using (Connection connection = SqliteFixture.Open(_connectionString))
        {
            connection.Execute("UPDATE head SET epoch = 0, published_epoch = 0, record_hash = zeroblob(32)");
            connection.Execute("INSERT INTO epoch (epoch, leaves, value_bytes, record_hash, record) VALUES (0, 1, 0, zeroblob(32), x'')");
        }
        await Assert.ThrowsAsync<StorageCorruptException>(async () =>
        {
            await foreach (LeafBatch batch in pipeline.ReadLeavesAsync(0, 0, 10, LeafColumns.All, Cancel))
            {
                Assert.Fail($"{batch.Rows.Length} leaves were read.");
            }
        });
    }

    [Fact]
    public void The_file_is_its_owners_alone() =>
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(DatabasePath));

    [Fact]
    public void The_systems_library_is_used() =>
        Assert.Contains("libsqlite3.so.0", File.ReadAllText("/proc/self/maps"), StringComparison.Ordinal);
}
