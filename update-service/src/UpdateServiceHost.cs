using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Settings;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateService.Accepting;
using Optiks.UpdateService.Endpoints;
using Optiks.UpdateService.Options;
using Optiks.UpdateService.Receipts;
using Optiks.UpdateService.Requests;
using Optiks.UpdateService.Status;
using Optiks.UpdateService.Telemetry;

namespace Optiks.UpdateService;

/// <summary>Builds the service from its options, database, background services and endpoints.</summary>
internal static class UpdateServiceHost
{
    /// <summary>The settings in which this host differs from those of the other services.</summary>
    public static OptiksServiceOptions Service { get; } = OptiksServiceOptions.Read(Programs.UpdateService) with
    {
        Api = ApiDocument.Load(typeof(UpdateServiceHost).Assembly),
        // If a body is longer than this, the server closes the connection. If a body is too large but shorter than this, the server reads
        // it to its end, so that clients that send everything before they read get the answer.
        MaxRequestBodyLength = 2 * ProtocolLimits.MaxUpdateBody,
    };

    /// <summary>
    /// Opens the database and builds the host, without starting it. Throws an exception, which <c>Program</c> converts to an exit code, if
    /// the settings are unusable, or if the database is not migrated or cannot be reached. If it cannot be reached, a supervisor starts the
    /// service again.
    /// </summary>
    /// <param name="args">The arguments of the command line.</param>
    /// <param name="engines">The database engines from which the configuration chooses one.</param>
    /// <param name="configure">The action that changes the configuration before the host reads it.</param>
    public static async Task<WebApplication> CreateAsync(
        string[] args, IReadOnlyList<IStorageProvider> engines, Action<WebApplicationBuilder>? configure = null)
    {
        WebApplicationBuilder builder = ServiceBuilder.Create(args);
        configure?.Invoke(builder);
        builder.AddOptiksDefaults(Service);
        AddOptions(builder);

        StorageSource storage = StorageSetup.CreateSource(
            builder.Configuration, OptiksDefaults.GetDataFolder(builder.Configuration), engines);
        builder.Services.AddOptiksStorage(_ => storage);
        IAcceptStore store = await storage.OpenAcceptAsync(CancellationToken.None);
        // The store is registered by a factory, because the container disposes only of objects that it created itself.
        builder.Services.AddSingleton(_ => store);

        builder.Services.AddSingleton<LogLimits>();
        builder.Services.AddSingleton<UpdateMetrics>();
        builder.AddBoard();
        builder.Services.AddSingleton<RollbackGuard>();
        builder.Services.AddSingleton<CommitHealth>();
        builder.Services.AddSingleton<GroupCommit>();
        builder.Services.AddSingleton<CommitQueue>();
        builder.Services.AddHostedService(services => services.GetRequiredService<CommitQueue>());
        builder.Services.AddSingleton<PublishedEpochs>();
        builder.Services.AddHostedService(services => services.GetRequiredService<PublishedEpochs>());
        builder.Services.AddSingleton<CheckpointReach>();
        builder.Services.AddSingleton<StatusReader>();
        builder.Services.AddSingleton<ReceiptMaker>();
        builder.Services.AddHealthChecks().AddCheck<AcceptHealthCheck>("database");
        builder.AddDraining(services => services.GetRequiredService<IOptions<QueueOptions>>().Value.DrainTime);

        WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        PostRequests.Map(app);
        app.MapGetUpdate();
        app.MapGetErasure();
        return app;
    }

    /// <summary>
    /// Serves requests until the host is told to stop. Throws if the service finds out that it is connected to another database than the
    /// one that it opened.
    /// </summary>
    public static async Task RunAsync(WebApplication app)
    {
        _ = app.Services.GetRequiredService<LogLimits>().Read();
        await Startup.RunHostAsync(app);
    }

    private static void AddOptions(WebApplicationBuilder builder)
    {
        builder.Services.AddSingleton<IValidateOptions<QueueOptions>, QueueOptionsValidator>();
        builder.Services.AddOptions<QueueOptions>().BindConfiguration(QueueOptions.Section).ValidateOnStart();
        builder.Services.AddSingleton<IValidateOptions<LimitOptions>, LimitOptionsValidator>();
        builder.Services.AddOptions<LimitOptions>().BindConfiguration(LimitOptions.Section).ValidateOnStart();
    }
}
