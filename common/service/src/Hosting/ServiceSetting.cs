using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Optiks.ServiceDefaults;

/// <summary>ServiceSetting is one setting of a section as help shows it.</summary>
/// <param name="Name">Name below its section, <c>Lookups:Burst</c> or <c>Proxies:0</c>.</param>
/// <param name="Default">Default as it would be written; in brackets where nothing would be.</param>
/// <param name="Range">What is allowed; null when nothing more than the type says.</param>
/// <param name="Description">Its documentation comment; empty when it has none.</param>
internal sealed partial record ServiceSetting(string Name, string Default, string? Range, string Description)
{
    /// <summary>Of the settings that an options type has, with those of the objects in it.</summary>
    public static IEnumerable<ServiceSetting> Of(Type type) => Of(type, "", "");

    private static IEnumerable<ServiceSetting> Of(Type type, string prefix, string about)
    {
        object defaults = Activator.CreateInstance(type, nonPublic: true)!;
        Dictionary<string, string> comments = Comments(type);
        foreach (PropertyInfo property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(one => one.CanWrite))
        {
            string description = comments.GetValueOrDefault(property.Name, "");
            object? value = property.GetValue(defaults);
            if (property.PropertyType.Assembly == type.Assembly && !property.PropertyType.IsEnum)
            {
                foreach (ServiceSetting inner in Of(property.PropertyType, $"{prefix}{property.Name}:", description))
                {
                    yield return inner;
                }
                continue;
            }
            yield return new ServiceSetting(
                prefix + property.Name + (property.PropertyType.IsArray ? ":0, :1, ..." : ""), Text(value), Allowed(property), about.Length > 0 ? $"{about} {description}" : description);
        }
    }

    private static string Text(object? value) => value switch
    {
        null or "" => "(empty)",
        Array { Length: 0 } => "(none)",
        bool flag => flag ? "true" : "false",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static string? Allowed(PropertyInfo property) => property.GetCustomAttribute<RangeAttribute>() is { } range
        ? string.Create(CultureInfo.InvariantCulture, $"{range.Minimum} to {range.Maximum}")
        : null;

    // By property; from the file that the compiler writes and the build puts beside each program.
    private static Dictionary<string, string> Comments(Type type)
    {
        string file = Path.Combine(AppContext.BaseDirectory, $"{type.Assembly.GetName().Name}.xml");
        if (!File.Exists(file))
        {
            return [];
        }
        string prefix = $"P:{type.FullName!.Replace('+', '.')}.";
        return XDocument.Load(file).Descendants("member")
            .Select(member => (Name: member.Attribute("name")?.Value ?? "", Comment: member))
            .Where(member => member.Name.StartsWith(prefix, StringComparison.Ordinal))
            .ToDictionary(member => member.Name[prefix.Length..], member => Sentence(member.Comment.Element("summary")));
    }

    private static string Sentence(XElement? summary)
    {
        if (summary is null)
        {
            return "";
        }
        IEnumerable<string> parts = summary.DescendantNodes().Select(node => node switch
        {
            XText text => text.Value,
            XElement { Name.LocalName: "see" } see => see.Attribute("cref")?.Value.Split('.')[^1] ?? "",
            _ => "",
        });
        return Blanks().Replace(string.Concat(parts), " ").Trim();
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
