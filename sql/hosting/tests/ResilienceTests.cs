using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Npgsql;
using Optiks.Common.Tests;
using Optiks.Protocol;
using Optiks.Storage.PostgreSql;
using Optiks.Storage.PostgreSql.Tests;

namespace Optiks.Storage.Hosting.Tests;

/// <summary>Tests the accept store, as hosts open it, on a PostgreSQL server that restarts, has deadlocks, has a full disk or keeps
/// locks.</summary>
public sealed class ResilienceTests : IAsyncLifetime
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, int> _open = new();
    private string _connectionString = "";
    private IAcceptStore? _store;
    private int _retries;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private IAcceptStore Store => _store!;

    public async ValueTask InitializeAsync()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Optiks.Storage")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref _retries, (int)count));
        _listener.SetMeasurementEventCallback<int>((_, open, tags, _) => _open[(string)tags[0].Value!] = open);
        _listener.Start();
        _connectionString = await Cluster.Current.CreateMigratedDatabaseAsync();
        var engine = new PostgreSqlStorageProvider();
        var options = new StorageOptions { Provider = engine.Name, ConnectionString = _connectionString };
        _store = await new StorageSource([engine], options, new DataFolder(Path.GetTempPath())).OpenAcceptAsync(Cancel);
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        if (_store is not null)
        {
            await _store.DisposeAsync();
        }
        await Cluster.Current.DropDatabaseAsync(_connectionString);
    }

    [Fact]
    public async Task Restarts_under_load_lose_and_double_nothing_and_the_next_accept_succeeds()
    {
        const int Callers = 8;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var accepted = new ConcurrentBag<Guid>();
        Task[] callers = [.. Enumerable.Range(0, Callers).Select(caller => Task.Run(
            async () =>
            {
                for (int i = 0; !stop.IsCancellationRequested; i++)
                {
                    AcceptUnit unit = Unit($"{caller}/{i}");
                    await UntilAcceptedAsync(unit);
                    accepted.Add(unit.Requests[0].RequestId);
                }
            },
            Cancel))];
        for (int i = 0; i < 2; i++)
        {
            await Task.Delay(300, Cancel);
            await Cluster.Current.StopAsync();
            await Cluster.Current.StartAsync();
        }
        await Task.Delay(300, Cancel);
        int before = accepted.Count;
        await Task.Delay(2500, Cancel);
        await stop.CancelAsync();
        await Task.WhenAll(callers);
        Assert.True(accepted.Count > before, "Nothing was accepted after the restarts.");
        Assert.True(_retries > 0, "Nothing was tried again: the test did not test.");
        Assert.Equal(accepted.Count, accepted.Distinct().Count());
        Assert.Equal(accepted.Count, await ReadAsync("SELECT count(*) FROM optiks.request"));
        Assert.Equal(accepted.Count, await ReadAsync("SELECT count(*) FROM optiks.pending"));
    }

    [Theory]
    [InlineData("40P01")]
    [InlineData("40001")]
    public async Task A_deadlock_or_a_lost_race_is_tried_again(string state)
    {
        await FailInsertsAsync(state, 2);
        AcceptResult result = Assert.Single(await Store.AcceptAsync([Unit("a")], Cancel));
        Assert.Equal(AcceptStatus.Accepted, result.Status);
        Assert.Equal(2, _retries);
        Assert.Equal(3, await InsertsAsync());
        Assert.Equal(1, await ReadAsync("SELECT count(*) FROM optiks.request"));
    }

    [Fact]
    public async Task What_trying_again_does_not_mend_is_not_tried_again()
    {
        await FailInsertsAsync("23514", int.MaxValue);
        await Assert.ThrowsAsync<StorageCorruptException>(() => Store.AcceptAsync([Unit("a")], Cancel));
        Assert.Equal(1, await InsertsAsync());
        Assert.Equal(0, _retries);
    }

    [Fact]
    public async Task A_full_disk_is_named_then_left_alone_and_reads_go_on()
    {
        await FailInsertsAsync("53100", int.MaxValue);
        AcceptUnit unit = Unit("a");
        StorageUnavailableException full = await Assert.ThrowsAsync<StorageUnavailableException>(() => Store.AcceptAsync([unit], Cancel));
        Assert.Contains("53100", full.Message, StringComparison.Ordinal);
        Assert.Null(full.RetryAfter);
        long tries = await InsertsAsync();
        Assert.Equal(5, tries);

        long start = Stopwatch.GetTimestamp();
        StorageUnavailableException left = await Assert.ThrowsAsync<StorageUnavailableException>(() => Store.AcceptAsync([unit], Cancel));
        Assert.True(left.RetryAfter > TimeSpan.Zero);
        Assert.Equal(tries, await InsertsAsync());
        Assert.Equal((1, 0), (CircuitOf("accept"), CircuitOf("read")));
        Assert.Null(await Store.ReadStatusAsync(unit.Requests[0].RequestId, Cancel));
        _ = await Store.ReadHeadAsync(Cancel);

        _ = await ExecuteAsync("DROP TRIGGER fail ON optiks.request");
        await UntilAcceptedAsync(unit);
        Assert.True(Stopwatch.GetElapsedTime(start) < s_patience);
        Assert.Equal(0, CircuitOf("accept"));
        Assert.Equal(1, await ReadAsync("SELECT count(*) FROM optiks.request"));
    }

    [Fact]
    public async Task A_lock_that_is_kept_ends_in_a_time_limit()
    {
        await using var connection = new NpgsqlConnection(_connectionString);
        await connection.OpenAsync(Cancel);
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync(Cancel);
        await using (var locking = new NpgsqlCommand("LOCK TABLE optiks.request", connection))
        {
            _ = await locking.ExecuteNonQueryAsync(Cancel);
        }
        AcceptUnit unit = Unit("a");
        StorageUnavailableException late = await Assert.ThrowsAsync<StorageUnavailableException>(() => Store.AcceptAsync([unit], Cancel));
        Assert.Contains("did not answer within 10 s", late.Message, StringComparison.Ordinal);
        await transaction.RollbackAsync(Cancel);
        await UntilAcceptedAsync(unit);
        Assert.Equal(1, await ReadAsync("SELECT count(*) FROM optiks.request"));
    }

    [Fact]
    public async Task A_caller_that_gives_up_is_not_a_failure_of_the_database()
    {
        using var gone = new CancellationTokenSource();
        await gone.CancelAsync();
        for (int i = 0; i < 20; i++)
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Store.ReadHeadAsync(gone.Token));
        }
        _ = await Store.ReadHeadAsync(Cancel);
        Assert.Equal(0, CircuitOf("read"));
    }

    [Fact]
    public async Task An_open_circuit_is_told_for_as_long_as_attempts_fail_and_not_after_callers_stayed_away()
    {
        const string Operation = "test";
        var time = new ManualTime();
        using var metrics = new ResilienceMetrics(time);
        var resilience = new Resilience(Operation, metrics);
        Assert.Equal(0, CircuitOf(Operation));
        await FailAsync();
        Assert.Equal(1, CircuitOf(Operation));
        time.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal(1, CircuitOf(Operation));
        // Now the metric reports the circuit as closed. Since the failure, no call has reached the database, so the database may be back.
        time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(0, CircuitOf(Operation));
        // Another call reaches the database and fails.
        await FailAsync();
        Assert.Equal(1, CircuitOf(Operation));
        long start = Stopwatch.GetTimestamp();
        while (CircuitOf(Operation) == 1)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < s_patience);
            try
            {
                _ = await resilience.RunAsync(_ => Task.FromResult(true), Cancel);
            }
            catch (StorageUnavailableException e)
            {
                await Task.Delay(e.RetryAfter ?? TimeSpan.FromMilliseconds(50), Cancel);
            }
        }

        // Fails the operation once. Repeats the call until the operation itself has run, because an open circuit refuses calls without
        // running it.
        async Task FailAsync()
        {
            bool wasAsked = false;
            while (!wasAsked)
            {
                StorageUnavailableException failed = await Assert.ThrowsAsync<StorageUnavailableException>(() => resilience.RunAsync<bool>(
                    _ =>
                    {
                        wasAsked = true;
                        throw new StorageUnavailableException("injected");
                    },
                    Cancel));
                await Task.Delay(failed.RetryAfter ?? TimeSpan.Zero, Cancel);
            }
        }
    }

    private static AcceptUnit Unit(string key)
    {
        var item = new AcceptItem(StructureId.Keys, Encoding.UTF8.GetBytes(key), "value"u8.ToArray(), null);
        return new AcceptUnit(
            [new AcceptRequest(Guid.CreateVersion7(TimeProvider.System.GetUtcNow()),
                SHA256.HashData(Encoding.UTF8.GetBytes(key)), [item])]);
    }

    private async Task UntilAcceptedAsync(AcceptUnit unit)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                Assert.Equal(AcceptStatus.Accepted, Assert.Single(await Store.AcceptAsync([unit], Cancel)).Status);
                return;
            }
            catch (StorageUnavailableException e) when (Stopwatch.GetElapsedTime(start) < s_patience)
            {
                await Task.Delay(e.RetryAfter ?? TimeSpan.FromMilliseconds(50), Cancel);
            }
        }
    }

    // Makes the given number of inserts fail. The failures are counted in an SQL sequence, because a sequence keeps its value when a
    // transaction is rolled back.
    private async Task FailInsertsAsync(string state, int times) => _ = await ExecuteAsync(string.Create(
        CultureInfo.InvariantCulture,
        $"""
        CREATE SEQUENCE optiks.insertion;
        CREATE FUNCTION optiks.fail() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF nextval(''optiks.insertion'') <= {times} THEN RAISE ''injected'' USING ERRCODE = ''{state}''; END IF; RETURN NEW; END';
        CREATE TRIGGER fail BEFORE INSERT ON optiks.request FOR EACH ROW EXECUTE FUNCTION optiks.fail();
        """));

    private Task<long> InsertsAsync() => ReadAsync("SELECT last_value FROM optiks.insertion");

    private int CircuitOf(string operation)
    {
        _listener.RecordObservableInstruments();
        return _open[operation];
    }

    private Task<int> ExecuteAsync(string sql) => Cluster.ExecuteAsync(_connectionString, sql);

    private async Task<long> ReadAsync(string sql)
    {
        await using var connection = new NpgsqlConnection(_connectionString + ";Pooling=false");
        await connection.OpenAsync(Cancel);
#pragma warning disable CA2100 // The SQL texts are constants of this file.
        await using var command = new NpgsqlCommand(sql, connection);
#pragma warning restore CA2100
        return (long)(await command.ExecuteScalarAsync(Cancel))!;
    }
}
