using Optiks;
using Optiks.QueryService;
using Optiks.ServiceDefaults;
using Optiks.Storage;

if (ServiceHelp.TryPrint(args, QueryServiceHost.Service, Console.Out))
{
    return ExitCodes.Success;
}
return await Startup.RunAsync(
    () => QueryServiceHost.RunAsync(args), e => e is StorageMisconfiguredException ? ExitCodes.Configuration : null);
