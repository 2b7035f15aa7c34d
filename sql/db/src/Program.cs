using System.Collections;
using Optiks;
using Optiks.Db;

// Keys, wrapped secrets' plain text and connection strings pass through these commands.
CoreDumps.Forbid();
return await CommandLine.RunAsync(
    args, Console.Out, Console.Error, Environment.GetEnvironmentVariable,
    () => Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value ?? "")));
