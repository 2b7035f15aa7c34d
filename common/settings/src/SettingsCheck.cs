using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace Optiks.Settings;

/// <summary>
/// Finds settings under <c>Optiks:</c> that are unknown or whose text has the wrong type. Without this check a misspelt setting would
/// silently have no effect. The check skips sections of other programs, because programs may share one configuration.
/// </summary>
internal sealed class SettingsCheck
{
    private readonly IReadOnlyDictionary<string, Type> _settings;
    private readonly List<(string Setting, string Sentence)> _unknown = [];
    private readonly List<(string Setting, string Sentence)> _wrong = [];

    private SettingsCheck(IReadOnlyDictionary<string, Type> settings) => _settings = settings;

    /// <summary>The unknown settings, each with the beginning of a sentence about similar settings that exist.</summary>
    public IReadOnlyList<(string Setting, string Sentence)> Unknown => _unknown;

    /// <summary>The settings of the wrong type, each with a sentence that names the right type.</summary>
    public IReadOnlyList<(string Setting, string Sentence)> Wrong => _wrong;

    /// <summary>
    /// Throws <see cref="StartupException"/> if the configuration has unknown settings or settings of the wrong type. The message names all
    /// of them, and similar settings that exist. It does not contain the settings' values, because one of them may be a secret in the wrong
    /// place.
    /// </summary>
    /// <param name="configuration">The program's configuration.</param>
    /// <param name="settings">The sections' paths, such as <c>Optiks:Storage</c>, with the type of the options of each section.</param>
    public static void ThrowIfAny(IConfiguration configuration, IReadOnlyDictionary<string, Type> settings)
    {
        SettingsCheck found = Find(configuration, settings);
        string[] sentences = [.. Sentence("Unknown settings", found._unknown), .. Sentence("Wrong settings", found._wrong)];
        if (sentences.Length > 0)
        {
            throw new StartupException(string.Join(' ', sentences));
        }
    }

    /// <summary>Checks a whole configuration.</summary>
    public static SettingsCheck Find(IConfiguration configuration, IReadOnlyDictionary<string, Type> settings)
    {
        var check = new SettingsCheck(settings);
        foreach (IConfigurationSection section in configuration.GetSection(SettingsSections.Root).GetChildren())
        {
            if (settings.FirstOrDefault(known => known.Key.Equals(section.Path, StringComparison.OrdinalIgnoreCase)).Value is { } options)
            {
                check.Look(section, options);
            }
            else if (!Programs.SectionNames.Contains(section.Key, StringComparer.OrdinalIgnoreCase))
            {
                check.AddUnknownSection(section);
            }
        }
        return check;
    }

    private static IEnumerable<string> Sentence(string kind, List<(string Setting, string Sentence)> problems) =>
        problems.Count > 0 ? [$"{kind}: {string.Join("; ", problems.Select(problem => problem.Sentence))}."] : [];

    private void AddUnknownSection(IConfigurationSection section)
    {
        IEnumerable<string> names = _settings.Keys.Select(path => path[(SettingsSections.Root.Length + 1)..]).Union(Programs.SectionNames);
        _unknown.Add((section.Path, Spelling.Nearest(section.Key, names) is { } near
            ? $"{section.Path} is not a section; the nearest is {SettingsSections.Root}:{near}"
            : $"{section.Path} is not a section; there are {string.Join(", ", Programs.SectionNames)}"));
    }

    private void Look(IConfigurationSection section, Type options)
    {
        PropertyInfo[] known = options.GetProperties(BindingFlags.Public | BindingFlags.Instance);
        foreach (IConfigurationSection setting in section.GetChildren())
        {
            PropertyInfo? property = known.FirstOrDefault(one => one.Name.Equals(setting.Key, StringComparison.OrdinalIgnoreCase));
            if (property is null)
            {
                string[] names = [.. known.Select(one => one.Name).Order(StringComparer.Ordinal)];
                _unknown.Add((setting.Path,
                    (Spelling.Nearest(setting.Key, names) is { } near ? $"{section.Path}:{near}" : Elsewhere(setting.Key)) is { } meant
                    ? $"{setting.Path} is not a setting; the nearest is {meant}"
                    : $"{setting.Path} is not a setting; {section.Path} has {string.Join(", ", names)}"));
            }
            else if (property.PropertyType.IsArray && !string.IsNullOrEmpty(setting.Value))
            {
                // The binder of .NET's configuration would ignore a value of a list that has no index.
                _unknown.Add((setting.Path, $"{setting.Path} is a list, whose elements are {setting.Path}:0, {setting.Path}:1 and so on"));
            }
            else if (ServiceSetting.HasSettings(property))
            {
                Look(setting, property.PropertyType);
            }
            else if (setting.Value is { } text && !CanParse(property.PropertyType, text))
            {
                _wrong.Add((setting.Path, $"{setting.Path} is not {Describe(property.PropertyType)}"));
            }
        }
    }

    // Returns a setting that has the same name in another section, or null. For `UpdateTask:Heartbeat`, it finds `Log:Heartbeat`.
    private string? Elsewhere(string name) => _settings
        .SelectMany(section => section.Value.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Select(property => (section.Key, property.Name)))
        .Where(setting => setting.Name.Equals(name, StringComparison.OrdinalIgnoreCase))
        .Select(setting => $"{setting.Key}:{setting.Name}")
        .FirstOrDefault();

    // Returns whether a text can be converted to a type. The conversion is the same as in .NET's configuration binder, whose exceptions
    // cannot be shown because they name .NET types.
    private static bool CanParse(Type type, string text)
    {
        try
        {
            _ = TypeDescriptor.GetConverter(Nullable.GetUnderlyingType(type) ?? type).ConvertFromInvariantString(text);
            return true;
        }
        catch (Exception e)
            when (e is FormatException or ArgumentException or OverflowException or NotSupportedException or InvalidCastException)
        {
            return false;
        }
    }

    private static string Describe(Type type) => Type.GetTypeCode(type) switch
    {
        _ when Nullable.GetUnderlyingType(type) is { } underlying => Describe(underlying),
        _ when type.IsEnum => $"one of {string.Join(", ", Enum.GetNames(type))}",
        _ when type == typeof(TimeSpan) => "a time in days, hours, minutes and seconds, such as 00:00:10 or 1.00:00:00",
        TypeCode.Boolean => "true or false",
        TypeCode.Int32 => Range(int.MinValue, int.MaxValue),
        TypeCode.Int64 => Range(long.MinValue, long.MaxValue),
        TypeCode.Double or TypeCode.Single or TypeCode.Decimal => "a number such as 0.5",
        _ => $"a {type.Name}",
    };

    private static string Range(long least, long most) =>
        string.Create(CultureInfo.InvariantCulture, $"a whole number from {least} to {most}");
}
