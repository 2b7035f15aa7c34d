using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;

namespace Optiks.Settings;

/// <summary>
/// Finds all faults in a program's configuration without starting the program. Faults are settings and files that the program would refuse,
/// and settings that conflict with each other. The check uses neither the database nor the network.
/// </summary>
public static class ConfigurationCheck
{
    private static readonly string[] s_urls = ["urls", "ASPNETCORE_URLS"];

    /// <summary>Returns the problems, in the order in which the program would find them at its start.</summary>
    public static IReadOnlyList<ConfigurationProblem> Find(ProgramSettings program, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(program);
        ArgumentNullException.ThrowIfNull(configuration);
        SettingsCheck settings = SettingsCheck.Find(
            configuration, program.Sections.ToDictionary(section => section.Path, section => section.Options));
        var problems = new List<ConfigurationProblem>();
        problems.AddRange(
            settings.Unknown.Select(one => new ConfigurationProblem(ConfigurationProblemKind.Unknown, one.Setting, $"{one.Sentence}.")));
        problems.AddRange(
            settings.Wrong.Select(one => new ConfigurationProblem(ConfigurationProblemKind.Type, one.Setting, $"{one.Sentence}.")));
        // Sections with a setting of the wrong type cannot be read. They are left out here, because such settings have already been
        // reported.
        SettingsSection[] readable =
            [.. program.Sections.Concat(program.PartlyRead)
                .Where(section => !settings.Wrong.Any(one => IsBelow(one.Setting, section.Path)))];
        foreach (SettingsSection section in readable)
        {
            problems.AddRange(Refusals(section, configuration));
            problems.AddRange(ConfiguredFiles.Find(section, configuration));
        }
        problems.AddRange(Addresses(configuration));
        problems.AddRange(ConfiguredFiles.FindCertificates(configuration));
        if (program.Own.Count > 0)
        {
            // Only the three services have settings of their own and use keys in the data folder. Auditors and witnesses use other folders,
            // which no setting names.
            problems.AddRange(ConfiguredFiles.FindSecrets(configuration));
        }
        problems.AddRange(Contradictions.Find([.. readable.Select(section => section.Path)], configuration));
        return problems;
    }

    // Checks the addresses on which the program listens. They are settings of ASP.NET Core, which reads them only after Optiks has read its
    // own settings.
    private static IEnumerable<ConfigurationProblem> Addresses(IConfiguration configuration)
    {
        IEnumerable<string> settings = configuration.GetSection("Kestrel:Endpoints").GetChildren()
            .Select(endpoint => $"{endpoint.Path}:Url").Concat(s_urls);
        return settings.Where(setting =>
            (configuration[setting] ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries).Any(url => !IsAddress(url)))
            .Select(setting => new ConfigurationProblem(
                ConfigurationProblemKind.Value, setting, $"{setting} is not an address such as http://127.0.0.1:8301."));
    }

    private static bool IsAddress(string url)
    {
        try
        {
            _ = BindingAddress.Parse(url);
            return true;
        }
        catch (FormatException)
        {
            return false;
        }
    }

    private static bool IsBelow(string setting, string section) => setting.StartsWith($"{section}:", StringComparison.OrdinalIgnoreCase);

    private static ConfigurationProblem[] Refusals(SettingsSection section, IConfiguration configuration)
    {
        try
        {
            return [.. section.Validate(configuration)
                .Select(
                    sentence => new ConfigurationProblem(ConfigurationProblemKind.Value, section.Path,
                        sentence.StartsWith(section.Path, StringComparison.Ordinal) ? sentence : $"{section.Path}: {sentence}"))];
        }
        catch (InvalidOperationException)
        {
            // The section can only be one that belongs to another program. The types of its settings were not checked before, and one of
            // them is wrong.
            return [new ConfigurationProblem(
                ConfigurationProblemKind.Type, section.Path, $"{section.Path} has settings of the wrong types.")];
        }
    }
}
