using Optiks.Cli;

using var host = CommandHost.System();
return await OptiksCommand.RunAsync(args, host);
