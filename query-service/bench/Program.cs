using Optiks.QueryService;
using Optiks.QueryService.Bench;
using Optiks.ServiceDefaults;

return await Startup.RunAsync(async () =>
{
    await using WebApplication app = QueryServiceHost.Build(args);
    new EmptyEndpoint().Map(app);
    using var meters = new MeterEndpoint();
    meters.Map(app);
    await Startup.RunHostAsync(app);
});
