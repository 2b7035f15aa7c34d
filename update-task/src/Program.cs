using Microsoft.Extensions.Options;
using Optiks;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;

return await Startup.RunAsync(
    async () =>
    {
        FailPoints.EnsureValid();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args);
        IServiceCollection services = builder.Services;

        services.AddSingleton<TimeProvider, BootTimeProvider>();
        builder.AddOptiksDefaults(new OptiksServiceOptions
        {
            Name = "optiks-update-task",
            DefaultUrl = "http://127.0.0.1:8321",
            Settings = new Dictionary<string, Type>
            {
                [EpochOptions.Section] = typeof(EpochOptions),
                [LogOptions.Section] = typeof(LogOptions),
                [StorageOptions.Section] = typeof(StorageOptions),
            },
        });

        services.AddOptionsWithValidateOnStart<EpochOptions, EpochOptionsValidator>().BindConfiguration(EpochOptions.Section);
        services.AddOptionsWithValidateOnStart<LogOptions, LogOptionsValidator>().BindConfiguration(LogOptions.Section);

        services.AddOptiksStorage();

        services.AddSingleton(provider => new ClockGuard(
            provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<IOptions<EpochOptions>>().Value.MaxClockDifference));
        services.AddSingleton<BoardFolder>();
        services.AddSingleton<Genesis>();
        services.AddSingleton<Recovery>();
        services.AddSingleton<EpochPublisher>();
        services.AddSingleton<EpochLoop>();

        services.AddSingleton<TaskState>();
        services.AddSingleton<TaskMetrics>();
        services.AddHostedService<TaskService>();
        services.AddHealthChecks().AddCheck<TaskHealthCheck>("task");

        await using WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        await Startup.RunHostAsync(app);
    },
    failure => failure is StorageMisconfiguredException ? ExitCodes.Configuration : null);
