using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace Optiks.ServiceDefaults;

/// <summary>
/// SettingsCheck finds settings under <c>Optiks:</c> that no options have, as a misspelt one does nothing and says nothing, and those whose text is not of their type. The hosts may share one
/// configuration: a section of another host is left to that host.
/// </summary>
internal static class SettingsCheck
{
    private const string Root = "Optiks";

    // Of all hosts.
    private static readonly string[] s_sections = ["Bucket", "Cors", "Log", "LogKey", "Padding", "Periods", "QueryService", "RateLimits", "Storage", "Tokens", "UpdateService", "UpdateTask", "Witnesses"];

    /// <summary>ThrowIfAny throws <see cref="StartupException"/> that names all of them and what there is instead. It does not repeat their texts: one may be a secret at the wrong place.</summary>
    /// <param name="configuration">The host's.</param>
    /// <param name="settings">Options by the section that they are bound to, such as <c>Optiks:Storage</c>.</param>
    public static void ThrowIfAny(IConfiguration configuration, IReadOnlyDictionary<string, Type> settings)
    {
        var problems = new Problems([], []);
        foreach (IConfigurationSection section in configuration.GetSection(Root).GetChildren())
        {
            if (settings.FirstOrDefault(known => known.Key.Equals(section.Path, StringComparison.OrdinalIgnoreCase)).Value is { } options)
            {
                Find(section, options, problems);
            }
            else if (!s_sections.Contains(section.Key, StringComparer.OrdinalIgnoreCase))
            {
                problems.Unknown.Add($"{section.Path} is not a section; there are {string.Join(", ", s_sections)}");
            }
        }
        string[] sentences = [.. Sentence("Unknown settings", problems.Unknown), .. Sentence("Wrong settings", problems.Wrong)];
        if (sentences.Length > 0)
        {
            throw new StartupException(string.Join(' ', sentences));
        }
    }

    private static IEnumerable<string> Sentence(string kind, List<string> problems) => problems.Count > 0 ? [$"{kind}: {string.Join("; ", problems)}."] : [];

    private static void Find(IConfigurationSection section, Type options, Problems problems)
    {
        PropertyInfo[] known = options.GetProperties(BindingFlags.Public | BindingFlags.Instance);
        foreach (IConfigurationSection setting in section.GetChildren())
        {
            PropertyInfo? property = known.FirstOrDefault(one => one.Name.Equals(setting.Key, StringComparison.OrdinalIgnoreCase));
            if (property is null)
            {
                problems.Unknown.Add($"{setting.Path} is not a setting; {section.Path} has {string.Join(", ", known.Select(one => one.Name).Order(StringComparer.Ordinal))}");
            }
            else if (property.PropertyType.IsArray && !string.IsNullOrEmpty(setting.Value))
            {
                // One without a number is not taken for an element.
                problems.Unknown.Add($"{setting.Path} is a list, whose elements are {setting.Path}:0, {setting.Path}:1 and so on");
            }
            else if (property.PropertyType.Assembly == options.Assembly && !property.PropertyType.IsEnum)
            {
                Find(setting, property.PropertyType, problems);
            }
            else if (setting.Value is { } text && !IsOf(property.PropertyType, text))
            {
                problems.Wrong.Add($"{setting.Path} is not {Describe(property.PropertyType)}");
            }
        }
    }

    // As the configuration's own binder does it, whose exceptions name types of the runtime.
    private static bool IsOf(Type type, string text)
    {
        try
        {
            _ = TypeDescriptor.GetConverter(type).ConvertFromInvariantString(text);
            return true;
        }
        catch (Exception e) when (e is FormatException or ArgumentException or OverflowException or NotSupportedException or InvalidCastException)
        {
            return false;
        }
    }

    private static string Describe(Type type) => Type.GetTypeCode(type) switch
    {
        _ when type.IsEnum => $"one of {string.Join(", ", Enum.GetNames(type))}",
        _ when type == typeof(TimeSpan) => "a time in days, hours, minutes and seconds, such as 00:00:10 or 1.00:00:00",
        TypeCode.Boolean => "true or false",
        TypeCode.Int32 => Range(int.MinValue, int.MaxValue),
        TypeCode.Int64 => Range(long.MinValue, long.MaxValue),
        TypeCode.Double or TypeCode.Single or TypeCode.Decimal => "a number such as 0.5",
        _ => $"a {type.Name}",
    };

    private static string Range(long least, long most) => string.Create(CultureInfo.InvariantCulture, $"a whole number from {least} to {most}");

    private sealed record Problems(List<string> Unknown, List<string> Wrong);
}
