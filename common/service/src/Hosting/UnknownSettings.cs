using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace Optiks.ServiceDefaults;

/// <summary>
/// UnknownSettings finds settings under <c>Optiks:</c> that no options have, as a misspelt one does nothing and says nothing. The hosts may share one configuration: a section of
/// another host is left to that host.
/// </summary>
internal static class UnknownSettings
{
    private const string Root = "Optiks";

    // Of all hosts.
    private static readonly string[] s_sections = ["Log", "QueryService", "RateLimits", "Storage", "UpdateService", "UpdateTask"];

    /// <summary>ThrowIfAny throws <see cref="StartupException"/> that names all of them and what there is instead.</summary>
    /// <param name="configuration">The host's.</param>
    /// <param name="settings">Options by the section that they are bound to, such as <c>Optiks:Storage</c>.</param>
    public static void ThrowIfAny(IConfiguration configuration, IReadOnlyDictionary<string, Type> settings)
    {
        var problems = new List<string>();
        foreach (IConfigurationSection section in configuration.GetSection(Root).GetChildren())
        {
            if (settings.FirstOrDefault(known => known.Key.Equals(section.Path, StringComparison.OrdinalIgnoreCase)).Value is { } options)
            {
                Find(section, options, problems);
            }
            else if (!s_sections.Contains(section.Key, StringComparer.OrdinalIgnoreCase))
            {
                problems.Add($"{section.Path} is not a section; there are {string.Join(", ", s_sections)}");
            }
        }
        if (problems.Count > 0)
        {
            throw new StartupException($"Unknown settings: {string.Join("; ", problems)}.");
        }
    }

    private static void Find(IConfigurationSection section, Type options, List<string> problems)
    {
        PropertyInfo[] known = options.GetProperties(BindingFlags.Public | BindingFlags.Instance);
        foreach (IConfigurationSection setting in section.GetChildren())
        {
            PropertyInfo? property = known.FirstOrDefault(one => one.Name.Equals(setting.Key, StringComparison.OrdinalIgnoreCase));
            if (property is null)
            {
                problems.Add($"{setting.Path} is not a setting; {section.Path} has {string.Join(", ", known.Select(one => one.Name).Order(StringComparer.Ordinal))}");
            }
            else if (property.PropertyType.IsArray && !string.IsNullOrEmpty(setting.Value))
            {
                // One without a number is not taken for an element.
                problems.Add($"{setting.Path} is a list, whose elements are {setting.Path}:0, {setting.Path}:1 and so on");
            }
            else if (property.PropertyType.Assembly == options.Assembly)
            {
                Find(setting, property.PropertyType, problems);
            }
        }
    }
}
