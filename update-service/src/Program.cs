using Optiks;
using Optiks.ServiceDefaults;
using Optiks.Storage;
using Optiks.Storage.Hosting;
using Optiks.UpdateService;

if (ServiceHelp.TryPrint(args, UpdateServiceHost.Service, Console.Out))
{
    return ExitCodes.Success;
}
return await Startup.RunAsync(
    async () =>
    {
        FailPoints.EnsureValid();
        await using WebApplication app = await UpdateServiceHost.CreateAsync(args, StorageEngines.All());
        await UpdateServiceHost.RunAsync(app);
    },
    exception => exception switch
    {
        StorageMisconfiguredException => ExitCodes.Configuration,
        StorageUnavailableException => ExitCodes.Unreachable,
        _ => null,
    });
