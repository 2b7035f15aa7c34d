using System.Globalization;
using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Prints the output of <c>--help</c> and <c>--version</c> of a host, without starting the host. The descriptions of settings are the
/// settings' documentation comments, which the build puts into a file next to the program.
/// </summary>
public static class ServiceHelp
{
    private static readonly string[] s_help = ["--help", "-h", "-?"];

    /// <summary>
    /// Prints the help or the version and returns true if the arguments ask for either. Otherwise prints nothing and returns false.
    /// </summary>
    public static bool TryPrint(IReadOnlyCollection<string> args, OptiksServiceOptions options, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(output);
        if (args.Any(s_help.Contains))
        {
            Print(options, output);
            return true;
        }
        if (args.Contains("--version"))
        {
            output.WriteLine($"{options.Name} {ProductVersion.Text}");
            return true;
        }
        return false;
    }

    private static void Print(OptiksServiceOptions options, TextWriter output)
    {
        string program = AppDomain.CurrentDomain.FriendlyName;
        output.WriteLine(
            $"""
            {options.Name} {ProductVersion.Text}
            {options.Purpose}

            Usage: {program} [--urls URL] [--SETTING=VALUE]...
                   {program} --help | --version

            Listens on --urls or ASPNETCORE_URLS, by default {options.DefaultUrl}. /health/live and /health/ready answer without an API key; SIGTERM stops it gracefully.
            Under systemd, or another service manager with sd_notify, it reports when it is ready, and SIGHUP makes it reload its certificate, rate limits and log levels.

            Settings are read from appsettings.json, the file that {SettingsFile.Variable} names, the environment and the command line, later ones winning: --Optiks:Section:Name=VALUE, or the variable Optiks__Section__Name.
            Times are [days.]hours:minutes:seconds. Unknown settings under Optiks: are refused.
            """);
        foreach ((string section, Type type) in options.AllSettings.Concat(options.PartlyReadSettings)
            .OrderBy(one => one.Key, StringComparer.Ordinal))
        {
            output.WriteLine();
            output.WriteLine(section);
            foreach (ServiceSetting setting in ServiceSetting.List(type))
            {
                output.WriteLine($"  {setting.Name,-26} {setting.Default}{(setting.Range is { } range ? $"   ({range})" : "")}");
                output.WriteLine($"  {"",-26}   {setting.Description.Replace("`", "", StringComparison.Ordinal)}");
            }
        }
        output.WriteLine();
        output.WriteLine("Environment");
        foreach ((string name, string meaning) in Variables().Concat(options.Variables))
        {
            output.WriteLine($"  {name,-28} {meaning}");
        }
        output.WriteLine();
        output.WriteLine("Exit codes");
        foreach ((int code, string meaning) in Codes().Concat(options.ExitCodes).OrderBy(one => one.Key))
        {
            output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {code,-3} {meaning}"));
        }
    }

    private static Dictionary<string, string> Variables() => new()
    {
        [DataFolder.Variable] = "data folder: API keys, board, state; default ${XDG_DATA_HOME:-~/.local/share}/optiks",
        [SettingsFile.Variable] = "JSON file of settings, such as {\"Optiks\": {\"Storage\": {\"Provider\": \"postgresql\"}}}",
        ["ASPNETCORE_URLS"] = "where to listen, as --urls",
        [Telemetry.EndpointVariable] =
            "OTLP collector for metrics, traces and logs; unset: none. OTEL_... settings of OpenTelemetry work too",
        ["OPTIKS_FORCE_KERNEL"] =
            "name of a kernel to use instead of the fastest that the processor can run; an unknown name is refused with a list of the names",
    };

    private static Dictionary<int, string> Codes() => new()
    {
        [ExitCodes.Success] = "stopped gracefully, as it was told to",
        [ExitCodes.Configuration] =
            "a setting, a key, the data folder, the database's schema or the native library cannot be used; one sentence on standard error says which",
    };
}
