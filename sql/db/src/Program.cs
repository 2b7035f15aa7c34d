using System.Globalization;
using Optiks.Db;

// Whatever the language of the machine: what is printed is for programs too.
CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
return await CommandLine.RunAsync(args, Console.Out, Console.Error, Environment.GetEnvironmentVariable);
