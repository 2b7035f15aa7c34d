using System.Collections;
using Optiks.Db;

return await CommandLine.RunAsync(
    args, Console.Out, Console.Error, Environment.GetEnvironmentVariable,
    () => Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value ?? "")));
