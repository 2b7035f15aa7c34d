using System.Runtime.InteropServices;
using Optiks.Commands;
using Optiks.Stress;

if (CommandStart.Prepare(json: false) is { } refused)
{
    return refused;
}
using var interrupt = new CancellationTokenSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
return await StressCommand.RunAsync(args, interrupt.Token);

void End(PosixSignalContext signal)
{
    signal.Cancel = true;
    interrupt.Cancel();
}
