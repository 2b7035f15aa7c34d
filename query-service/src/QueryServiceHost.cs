using System.Globalization;
using Microsoft.Extensions.Options;
using Optiks.QueryService.Answers;
using Optiks.QueryService.Cosigners;
using Optiks.QueryService.Endpoints;
using Optiks.QueryService.Following;
using Optiks.QueryService.Options;
using Optiks.QueryService.Proving;
using Optiks.QueryService.Snapshots;
using Optiks.QueryService.Telemetry;
using Optiks.ServiceDefaults;
using Optiks.Settings;
using Optiks.Storage.Hosting;
using Optiks.Tlog;

namespace Optiks.QueryService;

/// <summary>Builds and runs the query-service.</summary>
internal static class QueryServiceHost
{
    // The number of threads of the thread pool that may compute in the native library for seconds. These are the follower's thread and the
    // thread that makes ended periods.
    private const int BusyThreads = 2;

    /// <summary>The settings in which this host differs from those of the other services.</summary>
    public static OptiksServiceOptions Service { get; } = OptiksServiceOptions.Read(Programs.QueryService) with
    {
        Api = ApiDocument.Load(typeof(QueryServiceHost).Assembly),
        WritesData = true,
    };

    /// <summary>Runs the service until it is told to stop. If an error ends the service, throws the error.</summary>
    public static async Task RunAsync(string[] args)
    {
        await using WebApplication app = Build(args);
        await Startup.RunHostAsync(app);
    }

    /// <summary>Builds the service. The action <paramref name="configure"/> may replace parts of it, such as the clock.</summary>
    public static WebApplication Build(string[] args, Action<IServiceCollection>? configure = null)
    {
        // By default, the thread pool begins with one thread per processor, and takes half a second to add a thread. On a machine with two
        // processors, the two busy threads would leave no thread for requests during that time.
        ThreadPool.GetMinThreads(out int workers, out int completionPorts);
        ThreadPool.SetMinThreads(Math.Max(workers, Environment.ProcessorCount + BusyThreads), completionPorts);

        WebApplicationBuilder builder = ServiceBuilder.Create(args);
        // This handler must be registered before the handler of the service defaults, which handles every exception.
        builder.Services.AddExceptionHandler<BoardFailures>();
        builder.AddOptiksDefaults(Service);

        builder.Services.AddSingleton<IValidateOptions<QueryServiceOptions>, QueryServiceOptionsValidator>();
        builder.Services.AddOptionsWithValidateOnStart<QueryServiceOptions>().BindConfiguration(QueryServiceOptions.Section);
        builder.Services.AddOptionsWithValidateOnStart<KekOptions>().BindConfiguration(KekOptions.Section);
        builder.Services.PostConfigure<QueryServiceOptions>(options =>
            options.Replica = options.Replica.Length > 0 ? options.Replica : Port(builder.Configuration));

        builder.Services.AddOptiksStorage();
        if (builder.AddBoard())
        {
            builder.Services.AddSingleton<RemoteTiles>();
            builder.Services.AddSingleton<ITileReader>(services => services.GetRequiredService<RemoteTiles>());
            builder.Services.AddSingleton<IBoardFiles, RemoteBoard>();
        }
        else
        {
            builder.Services.AddSingleton<LocalBoard>();
            builder.Services.AddSingleton(services => services.GetRequiredService<LocalBoard>().Tiles);
            builder.Services.AddSingleton<IBoardFiles>(services => services.GetRequiredService<LocalBoard>());
        }
        builder.Services.AddSingleton<ReplicaFiles>();
        builder.Services.AddSingleton<SnapshotPeers>();
        builder.Services.AddSingleton<BoardReach>();
        builder.Services.AddSingleton<ReplicaLoader>();
        builder.Services.AddSingleton<SnapshotEndpoint>();
        builder.Services.AddSingleton<FollowerState>();
        builder.Services.AddSingleton<DamagedFiles>();
        builder.Services.AddSingleton<CurrentEpoch>();
        builder.Services.AddSingleton<QueryMetrics>();
        builder.Services.AddSingleton<ProofQueue>();
        builder.Services.AddSingleton<AnswerBudget>();
        builder.Services.AddSingleton<AuditProofs>();
        builder.Services.AddSingleton<AnswerSender>();
        builder.Services.AddSingleton<CatchingUp>();
        builder.Services.AddSingleton<LaterPeriods>();
        builder.Services.AddSingleton<RequestReader>();
        builder.Services.AddSingleton<KeyEndpoints>();
        builder.Services.AddSingleton<UserEndpoints>();
        builder.Services.AddSingleton<EpochEndpoints>();
        builder.Services.AddSingleton<BoardEndpoints>();
        builder.Services.AddSingleton<CosignedCheckpoints>();
        builder.Services.AddSingleton<CosignerMetrics>();
        builder.Services.AddSingleton<CosignerEndpoints>();
        builder.Services.AddHostedService<CosignerService>();
        builder.Services.AddSingleton<EndedPeriods>();
        builder.Services.AddSingleton<FollowedLog>();
        builder.Services.AddHostedService<Follower>();
        builder.Services.AddSingleton<Rehearsal>();
        builder.Services.AddHostedService(services => services.GetRequiredService<Rehearsal>());
        builder.Services.AddHealthChecks().AddCheck<EpochFreshness>("epoch").AddCheck<Rehearsal>("rehearsal");
        builder.AddDraining(services => services.GetRequiredService<IOptions<QueryServiceOptions>>().Value.DrainTime);
        configure?.Invoke(builder.Services);

        WebApplication app = builder.Build();
        Rehearsal rehearsal = app.Services.GetRequiredService<Rehearsal>();
        rehearsal.UseAll(app);
        app.UseOptiksDefaults();
        rehearsal.Use(app);
        app.Services.GetRequiredService<CatchingUp>().Use(app);
        app.Services.GetRequiredService<KeyEndpoints>().Map(app);
        app.Services.GetRequiredService<UserEndpoints>().Map(app);
        app.Services.GetRequiredService<EpochEndpoints>().Map(app);
        app.Services.GetRequiredService<BoardEndpoints>().Map(app);
        app.Services.GetRequiredService<CosignerEndpoints>().Map(app);
        app.Services.GetRequiredService<SnapshotEndpoint>().Map(app);
        return app;
    }

    // Returns the port of the service, which is the default name of the replica, because replicas on one machine share the data folder but
    // not the port.
    private static string Port(ConfigurationManager configuration)
    {
        string url = configuration[WebHostDefaults.ServerUrlsKey]?.Split(';')[0]
            ?? configuration.GetSection("Kestrel:Endpoints").GetChildren().Select(endpoint => endpoint["Url"])
                .FirstOrDefault(configured => configured is not null)
            ?? Service.DefaultUrl;
        int port = BindingAddress.Parse(url).Port;
        return port != 0
            ? port.ToString(CultureInfo.InvariantCulture)
            : throw new StartupException(
                $"A query-service whose port the system chooses needs a name: set {QueryServiceOptions.Section}:Replica.");
    }
}
