using Optiks.Db;

return await CommandLine.RunAsync(args, Console.Out, Console.Error, Environment.GetEnvironmentVariable);
