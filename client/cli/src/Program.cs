using Optiks.Cli;
using Optiks.Commands;

if (CommandStart.Prepare(args.Contains("--json")) is { } refused)
{
    return refused;
}
using var host = CommandHost.System();
return await OptiksCommand.RunAsync(args, host);
