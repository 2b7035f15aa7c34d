using System.Collections;
using Optiks;
using Optiks.Commands;
using Optiks.Db;

if (ExactText.FindFault() is { } fault)
{
    return new CommandFailure(ExitCodes.Usage, "usage", fault).Print(args.Contains("--json"), Console.Out, Console.Error);
}
HttpsOnlyProxy.Install();
return await CommandLine.RunAsync(
    args, Console.Out, Console.Error, Environment.GetEnvironmentVariable,
    () => Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value ?? "")));
