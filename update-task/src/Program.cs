using Microsoft.Extensions.Options;
using Optiks;
using Optiks.ServiceDefaults;
using Optiks.Settings;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateTask.Board;
using Optiks.UpdateTask.Buckets;
using Optiks.UpdateTask.Hosting;
using Optiks.UpdateTask.Leasing;
using Optiks.UpdateTask.Options;
using Optiks.UpdateTask.Pipeline;
using Optiks.UpdateTask.Telemetry;
using Optiks.UpdateTask.Time;
using Optiks.UpdateTask.Witnesses;

OptiksServiceOptions service = OptiksServiceOptions.Read(Programs.UpdateTask) with { WritesData = true };
if (ServiceHelp.TryPrint(args, service, Console.Out))
{
    return ExitCodes.Success;
}
return await Startup.RunAsync(
    async () =>
    {
        FailPoints.EnsureValid();
        WebApplicationBuilder builder = ServiceBuilder.Create(args);
        IServiceCollection services = builder.Services;

        services.AddSingleton<TimeProvider, BootTimeProvider>();
        builder.AddOptiksDefaults(service);

        services.AddOptionsWithValidateOnStart<EpochOptions, EpochOptionsValidator>().BindConfiguration(EpochOptions.Section);
        services.AddOptionsWithValidateOnStart<PaddingOptions, PaddingOptionsValidator>().BindConfiguration(PaddingOptions.Section);
        services.AddOptionsWithValidateOnStart<LogOptions, LogOptionsValidator>().BindConfiguration(LogOptions.Section);
        services.AddOptionsWithValidateOnStart<LogKeyOptions>().BindConfiguration(LogKeyOptions.Section);
        services.AddOptionsWithValidateOnStart<KekOptions>().BindConfiguration(KekOptions.Section);
        services.AddOptionsWithValidateOnStart<PeriodOptions, PeriodOptionsValidator>().BindConfiguration(PeriodOptions.Section);
        services.AddOptionsWithValidateOnStart<WitnessOptions, WitnessOptionsValidator>().BindConfiguration(WitnessOptions.Section);
        services.AddOptionsWithValidateOnStart<BucketOptions, BucketOptionsValidator>().BindConfiguration(BucketOptions.Section);

        services.AddOptiksStorage();

        services.AddSingleton(provider => new ClockGuard(
            provider.GetRequiredService<TimeProvider>(), provider.GetRequiredService<IOptions<EpochOptions>>().Value.MaxClockDifference));
        services.AddSingleton<BoardFolder>();
        services.AddSingleton<BucketGuard>();
        services.AddSingleton<KeySettings>();
        services.AddSingleton<Genesis>();
        services.AddSingleton<Recovery>();
        services.AddSingleton<Padding>();
        services.AddSingleton<EpochMaker>();
        services.AddSingleton<BoardLocker>();
        services.AddSingleton<LogWriterFactory>();
        services.AddSingleton<EpochLoop>();
        services.AddSingleton<LeaseWaiter>();

        services.AddSingleton<TaskState>();
        services.AddSingleton<TaskMetrics>();
        services.AddSingleton<TaskReport>();
        services.AddHostedService<TaskService>();
        services.AddSingleton<WitnessState>();
        services.AddSingleton<WitnessReplyMetrics>();
        services.AddHostedService<WitnessService>();
        IHealthChecksBuilder health = services.AddHealthChecks().AddCheck<TaskHealthCheck>("task")
            .AddCheck<WitnessHealthCheck>("witnesses");
        if (!string.IsNullOrEmpty(builder.Configuration[$"{BucketOptions.Section}:{nameof(BucketOptions.Name)}"]))
        {
            services.AddSingleton<BucketState>();
            services.AddSingleton<BucketMetrics>();
            services.AddHostedService<BucketService>();
            health.AddCheck<BucketHealthCheck>("bucket");
        }

        await using WebApplication app = builder.Build();
        app.UseOptiksDefaults();
        await Startup.RunHostAsync(app);
    },
    failure => failure is StorageMisconfiguredException ? ExitCodes.Configuration : null);
