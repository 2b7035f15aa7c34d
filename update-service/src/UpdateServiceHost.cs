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

/// <summary>Assembles the service: options, database, background parts, endpoints.</summary>
internal static class UpdateServiceHost
{
    /// <summary>The options in which this host differs from the other hosts.</summary>
    public static OptiksServiceOptions Service { get; } = OptiksServiceOptions.Read(Programs.UpdateService) with
    {
        Api = ApiDocument.Load(typeof(UpdateServiceHost).Assembly),
        // If a body is longer than this, the server cuts the connection. The server reads a body that is too large, but below this length,
        // to its end. Clients that send everything before they read then see the answer.
        MaxRequestBodyLength = 2 * ProtocolLimits.MaxUpdateBody,
    };

    /// <summary>
    /// Opens the database and builds the host, without starting it. Throws the exceptions that <c>Program</c> maps to exit codes: unusable
    /// settings, or a database that is not migrated or cannot be reached. If the database cannot be reached, a supervisor starts the
    /// service again.
    /// </summary>
    /// <param name="args">The command line.</param>
    /// <param name="engines">The database engines that the configuration may choose from.</param>
    /// <param name="configure">The action that changes the configuration before the host reads it.</param>
    public static async Task<WebApplication> CreateAsync(string[] args, IReadOnlyList<IStorageProvider> engines, Action<WebApplicationBuilder>? configure = null)
    {
        WebApplicationBuilder builder = ServiceBuilder.Create(args);
        configure?.Invoke(builder);
        builder.AddOptiksDefaults(Service);
        AddOptions(builder);

        StorageSource storage = StorageSetup.CreateSource(builder.Configuration, OptiksDefaults.GetDataFolder(builder.Configuration), engines);
        builder.Services.AddOptiksStorage(_ => storage);
        IAcceptStore store = await storage.OpenAcceptAsync(CancellationToken.None);
        // The store is registered by a factory, because the container disposes only objects that it made itself.
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
    /// Serves until the host is told to stop. Throws if the service finds that it is connected to a database other than the one that it
    /// opened.
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
