using Optiks;
using Optiks.QueryService;
using Optiks.ServiceDefaults;
using Optiks.Storage;

return await Startup.RunAsync(() => QueryServiceHost.RunAsync(args), e => e is StorageMisconfiguredException ? ExitCodes.Configuration : null);
