using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Optiks.Commands;
using Optiks.Pkcs11;
using Optiks.Secrets;
using Optiks.Settings;
using Optiks.Storage;

namespace Optiks.Db;

/// <summary>
/// Implements <c>optiks-db config</c>: reports what is wrong with a program's configuration, and prints the reference of all settings.
/// </summary>
internal static class ConfigCommand
{
    private const string Provider = "Optiks:Storage:Provider";
    private const string Connection = "Optiks:Storage:ConnectionString";

    /// <summary>Creates the command. The function <paramref name="variables"/> returns the environment variables, which override settings
    /// in files.</summary>
    public static Command Create(
        IStorageProvider[] engines, Func<IEnumerable<KeyValuePair<string, string>>> variables, Option<bool> json, TextWriter output)
    {
        var program =
            new Option<string>("--program")
            {
                Description = $"Program: {string.Join(", ", Programs.All.Select(one => one.Program))}.",
                HelpName = "PROGRAM",
                Required = true,
            };
        program.AcceptOnlyFromAmong([.. Programs.All.Select(one => one.Program)]);
        var files =
            new Option<string[]>("--file")
            {
                Description =
                "File of settings: JSON such as appsettings.json, or lines NAME=VALUE. Later files win, and the environment wins over all files.",
                HelpName = "FILE"
            };
        var check = new Command("check",
            "Report everything that is wrong with a program's configuration, without starting anything.") { program, files, json };
        check.SetAction(parsed =>
            Check(Programs.All.First(one => one.Program == parsed.GetValue(program)), parsed.GetValue(files) ?? [], engines, variables(),
                parsed.GetValue(json), output));
        var reference = new Command("reference", "Print the reference of all settings, in Markdown.");
        reference.SetAction(_ =>
        {
            output.Write(ConfigurationPage.Render());
            return ExitCodes.Success;
        });
        return new Command("config", "Check a configuration of a program, or print the reference of all settings.") { check, reference };
    }

    private static int Check(ProgramSettings program, string[] files, IStorageProvider[] engines,
        IEnumerable<KeyValuePair<string, string>> variables, bool json, TextWriter output)
    {
        var builder = new ConfigurationBuilder();
        foreach (string file in files)
        {
            ConfigurationFile.AddTo(builder, file);
        }
        IConfiguration configuration = builder
            .AddInMemoryCollection(
                variables.Select(variable =>
                    KeyValuePair.Create(variable.Key.Replace("__", ":", StringComparison.Ordinal), (string?)variable.Value)))
            .Build();
        ConfigurationProblem[] problems = [.. ConfigurationCheck.Find(program, configuration),
            .. CheckStorage(program, configuration, engines), .. CheckLogKey(program, configuration)];
        bool starts = problems.All(problem => problem.Kind == ConfigurationProblemKind.Warning);
        if (json)
        {
            output.WriteLine(JsonLine.Write(writer => Write(writer, program, problems, starts)));
        }
        else
        {
            foreach (ConfigurationProblem problem in problems)
            {
                output.WriteLine($"{(problem.Kind == ConfigurationProblemKind.Warning ? "warning" : "error"),-8} {problem.Text}");
            }
            int errors = problems.Count(problem => problem.Kind != ConfigurationProblemKind.Warning);
            output.WriteLine(
                string.Create(CultureInfo.InvariantCulture, $"{program.Program}: {errors} errors, {problems.Length - errors} warnings"));
        }
        return starts ? ExitCodes.Success : ExitCodes.Configuration;
    }

    // Lets the engine's driver check the connection string, without connecting.
    private static IEnumerable<ConfigurationProblem> CheckStorage(
        ProgramSettings program, IConfiguration configuration, IStorageProvider[] engines)
    {
        if (!program.Own.Any(section => Provider.StartsWith($"{section.Path}:", StringComparison.Ordinal)))
        {
            return [];
        }
        try
        {
            IStorageProvider engine = StorageProviders.Select(
                configuration[Provider] is { Length: > 0 } name ? name : engines[0].Name, engines);
            string connection = configuration[Connection] ?? "";
            if (connection.Length == 0)
            {
                // The connection string may be missing only for an embedded database, which has a default place.
                return engine.Name == engines[0].Name
                    ? []
                    : [new ConfigurationProblem(
                        ConfigurationProblemKind.Value, Connection, $"{Connection} is missing: {engine.Name} needs one.")];
            }
            _ = engine.CreateMigrator(connection);
            return [];
        }
        catch (StorageMisconfiguredException e)
        {
            return [new ConfigurationProblem(ConfigurationProblemKind.Value, "Optiks:Storage", ErrorText.Line(e.Message))];
        }
    }

    private static IEnumerable<ConfigurationProblem> CheckLogKey(ProgramSettings program, IConfiguration configuration)
    {
        if (program != Programs.UpdateTask)
        {
            return [];
        }
        try
        {
            _ = LogSecretSource.FindUri(configuration[LogSecretSource.Setting]);
            return [];
        }
        catch (SecretsException e)
        {
            return [new ConfigurationProblem(ConfigurationProblemKind.Value, LogSecretSource.Setting, ErrorText.Line(e.Message))];
        }
    }

    private static void Write(Utf8JsonWriter writer, ProgramSettings program, ConfigurationProblem[] problems, bool starts)
    {
        writer.WriteString("program", program.Program);
        writer.WriteString("verdict", starts ? "valid" : "invalid");
        writer.WriteStartArray("problems");
        foreach (ConfigurationProblem problem in problems)
        {
            writer.WriteStartObject();
            writer.WriteString("kind", problem.Kind.ToString().ToLowerInvariant());
            writer.WriteString("setting", problem.Setting);
            writer.WriteString("text", problem.Text);
            writer.WriteEndObject();
        }
        writer.WriteEndArray();
    }
}
