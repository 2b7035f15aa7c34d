using System.Runtime.InteropServices;
using Optiks;
using Optiks.Commands;
using Optiks.Stress;

if (ExactText.FindFault() is { } fault)
{
    return new CommandFailure(ExitCodes.Usage, "usage", fault).Print(json: false, Console.Out, Console.Error);
}
HttpsOnlyProxy.Install();
using var interrupt = new CancellationTokenSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
return await StressCommand.RunAsync(args, interrupt.Token);

void End(PosixSignalContext signal)
{
    signal.Cancel = true;
    interrupt.Cancel();
}
