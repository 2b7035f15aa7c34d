using System.Runtime.InteropServices;
using Optiks.Stress;

using var interrupt = new CancellationTokenSource();
using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
return await StressCommand.RunAsync(args, interrupt.Token);

void End(PosixSignalContext signal)
{
    signal.Cancel = true;
    interrupt.Cancel();
}
