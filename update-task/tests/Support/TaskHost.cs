using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Optiks.Storage;
using Optiks.Storage.Sqlite;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

namespace Optiks.UpdateTask.Tests.Support;

/// <summary>Runs the task inside the test process, step by step, with a real database, a real board and the native library.</summary>
internal sealed class TaskHost : IAsyncDisposable
{
    private readonly ServiceProvider _services;
    private LogWriter? _writer;
    private bool _disposed;

    private TaskHost(ServiceProvider services, PipelineStore store, LeaseKeeper keeper)
    {
        _services = services;
        Store = store;
        Keeper = keeper;
    }

    public PipelineStore Store { get; }

    public LeaseKeeper Keeper { get; }

    public LogSession Session { get; private set; } = null!;

    public IServiceProvider Services => _services;

    public TaskMetrics Metrics => _services.GetRequiredService<TaskMetrics>();

    public TaskState State => _services.GetRequiredService<TaskState>();

    private LogWriter Writer => _writer ??= _services.GetRequiredService<LogWriterFactory>().Create(Store, Keeper, Session);

    /// <summary>Starts a task: waits for the lease and recovers the log's state. Throws the same exceptions as the recovery.</summary>
    public static async Task<TaskHost> StartAsync(
        TestFolder folder, Action<EpochOptions>? epochs = null, Action<LogOptions>? log = null, TimeProvider? time = null,
        string holder = "test",
        Action? beforeLease = null, Func<PipelineStore, PipelineStore>? wrap = null, Action<PaddingOptions>? padding = null,
        Action<PeriodOptions>? periods = null,
        Action<WitnessOptions>? witnesses = null, BucketOptions? bucket = null, ILoggerProvider? events = null)
    {
        CancellationToken cancellationToken = TestContext.Current.CancellationToken;
        time ??= TimeProvider.System;
        var services = new ServiceCollection();
        services.AddLogging(logging =>
        {
            if (events is not null)
            {
                logging.AddProvider(events);
            }
        });
        services.AddMetrics();
        services.AddSingleton(time);
        services.AddSingleton(folder.Data);
        services.AddOptions<EpochOptions>().Configure(options => epochs?.Invoke(options));
        services.AddOptions<LogOptions>().Configure(options => log?.Invoke(options));
        services.AddOptions<PaddingOptions>().Configure(options => padding?.Invoke(options));
        services.AddOptions<PeriodOptions>().Configure(options => periods?.Invoke(options));
        services.AddOptions<WitnessOptions>().Configure(options => witnesses?.Invoke(options));
        services.AddSingleton(Microsoft.Extensions.Options.Options.Create(bucket ?? new BucketOptions()));
        foreach (Type part in (Type[])[typeof(BoardFolder), typeof(BucketGuard), typeof(KeySettings), typeof(Genesis), typeof(Recovery),
            typeof(Padding), typeof(EpochMaker), typeof(BoardLocker), typeof(LogWriterFactory), typeof(TaskState), typeof(TaskMetrics),
            typeof(TaskReport)])
        {
            services.AddSingleton(part);
        }
        services.AddSingleton(provider =>
            new ClockGuard(time, provider.GetRequiredService<IOptions<EpochOptions>>().Value.MaxClockDifference));
        ServiceProvider provider = services.BuildServiceProvider();
        provider.GetRequiredService<LogWriterFactory>();
        beforeLease?.Invoke();
        PipelineStore store = await new SqliteStorageProvider(time).OpenPipelineAsync(folder.ConnectionString, cancellationToken);
        store = wrap?.Invoke(store) ?? store;
        TimeSpan duration = provider.GetRequiredService<IOptions<EpochOptions>>().Value.LeaseDuration;
        ILogger<TaskHost> logger = provider.GetRequiredService<ILogger<TaskHost>>();
        LeaseKeeper? keeper;
        // A killed process may have left a lease that is still valid, so this loop waits until that lease expires.
        while ((keeper = await LeaseKeeper.TryAcquireAsync(store, holder, duration, time, logger, cancellationToken)) is null)
        {
            await Task.Delay(20, cancellationToken);
        }
        var host = new TaskHost(provider, store, keeper);
        try
        {
            host.Session = await provider.GetRequiredService<Recovery>().RunAsync(store, keeper.Lease, cancellationToken);
            return host;
        }
        catch
        {
            await host.DisposeAsync();
            throw;
        }
    }

    /// <summary>Does the work that the epoch loop does in one interval.</summary>
    public Task StepAsync() => StepAsync(behind: false);

    /// <summary>
    /// Does the work that the epoch loop does in one interval. The parameter <paramref name="behind"/> says whether the task is behind with
    /// its updates. Returns true if the next epoch must begin at once.
    /// </summary>
    public Task<bool> StepAsync(bool behind) => Writer.StepAsync(behind, TestContext.Current.CancellationToken);

    /// <summary>
    /// Does one piece of the work for periods that the epoch loop does between two intervals; returns false if there is nothing to do.
    /// </summary>
    public Task<bool> WorkAsync() => Writer.WorkAsync(TestContext.Current.CancellationToken);

    /// <summary>Reads updates in advance, as the epoch loop does between two intervals.</summary>
    public Task ReadAheadAsync() => Writer.ReadAheadAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (_disposed)
        {
            return;
        }
        _disposed = true;
        if (_writer is not null)
        {
            await _writer.DisposeAsync();
        }
        if (Session is not null)
        {
            await Session.DisposeAsync();
        }
        await Keeper.DisposeAsync();
        await Store.DisposeAsync();
        await _services.DisposeAsync();
    }
}
