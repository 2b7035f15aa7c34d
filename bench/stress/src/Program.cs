using Optiks.Stress;

using var interrupt = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    interrupt.Cancel();
};
return await StressCommand.RunAsync(args, interrupt.Token);
