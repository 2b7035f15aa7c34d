using Optiks;
using Optiks.Cli;

// The daemons among the commands read their keys before they start.
CoreDumps.Forbid();
using var host = CommandHost.System();
return await OptiksCommand.RunAsync(args, host);
