using System.Collections;
using Optiks.Commands;
using Optiks.Db;

if (CommandStart.Prepare(args.Contains("--json")) is { } refused)
{
    return refused;
}
return await CommandLine.RunAsync(
    args, Console.Out, Console.Error, Environment.GetEnvironmentVariable,
    () => Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
        .Select(variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value ?? "")));
