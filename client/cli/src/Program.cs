using Optiks;
using Optiks.Cli;
using Optiks.Commands;

if (ExactText.FindFault() is { } fault)
{
    return new CommandFailure(ExitCodes.Usage, "usage", fault).Print(args.Contains("--json"), Console.Out, Console.Error);
}
HttpsOnlyProxy.Install();
using var host = CommandHost.System();
return await OptiksCommand.RunAsync(args, host);
