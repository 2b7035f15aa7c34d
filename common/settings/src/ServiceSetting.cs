using System.ComponentModel.DataAnnotations;
using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Optiks.Settings;

/// <summary>Describes one setting of a section, as help and the reference of settings show it.</summary>
/// <param name="Name">The setting's name below its section, such as <c>Lookups:Burst</c> or <c>Proxies:0</c>.</param>
/// <param name="Default">The default in the form that an operator would write; if the default is empty, a description in brackets.</param>
/// <param name="Unit">The unit of a number or time; empty if it has no unit.</param>
/// <param name="Range">The allowed values; null if only the type restricts them.</param>
/// <param name="Description">The text of the setting's documentation comment, with code between backticks; empty if the setting has no
/// comment.</param>
/// <param name="File">The kind of file that the setting names.</param>
internal sealed partial record ServiceSetting(string Name, string Default, string Unit, string? Range, string Description, SettingFile File)
{
    /// <summary>The text after the name of a list. It shows that each element of the list is a setting of its own, with an index.</summary>
    public const string ListMark = ":0, :1, ...";

    private const string TimeUnit = "time";

    /// <summary>Returns the settings of an options type, including the settings of the objects in it.</summary>
    public static IEnumerable<ServiceSetting> List(Type type) => List(type, "", "");

    /// <summary>Returns the comment of an options type; empty if the type has no comment.</summary>
    public static string Describe(Type type) => Comments(type).GetValueOrDefault("", "");

    /// <summary>Returns whether an options property holds an object with further settings, not a value.</summary>
    public static bool HasSettings(PropertyInfo property) =>
        property.PropertyType.Assembly == property.DeclaringType!.Assembly && property.PropertyType is { IsEnum: false, IsArray: false };

    private static IEnumerable<ServiceSetting> List(Type type, string prefix, string about)
    {
        object defaults = Activator.CreateInstance(type, nonPublic: true)!;
        Dictionary<string, string> comments = Comments(type);
        foreach (PropertyInfo property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(one => one.CanWrite))
        {
            string description = comments.GetValueOrDefault(property.Name, "");
            if (HasSettings(property))
            {
                foreach (ServiceSetting inner in List(property.PropertyType, $"{prefix}{property.Name}:", description))
                {
                    yield return inner;
                }
                continue;
            }
            SettingAttribute? more = property.GetCustomAttribute<SettingAttribute>();
            string unit = IsTime(property) ? TimeUnit : more?.Unit ?? "";
            yield return new ServiceSetting(
                prefix + property.Name + (property.PropertyType.IsArray ? ListMark : ""), Text(property.GetValue(defaults), unit), unit,
                Allowed(property, unit),
                about.Length > 0 ? $"{about} {description}" : description, more?.File ?? SettingFile.None);
        }
    }

    private static bool IsTime(PropertyInfo property) =>
        (Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType) == typeof(TimeSpan);

    private static string Text(object? value, string unit) => value switch
    {
        null or "" => "(empty)",
        Array { Length: 0 } => "(none)",
        bool flag => flag ? "true" : "false",
        long octets when unit == SettingAttribute.Octets => octets.ToString(CultureInfo.InvariantCulture) + InMebioctets(octets),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString()!,
    };

    private static string InMebioctets(long octets) =>
        octets <= 0 || octets % (1L << 20) != 0 ? ""
        : octets % (1L << 30) != 0 ? string.Create(CultureInfo.InvariantCulture, $" ({octets >> 20} MiB)")
        : string.Create(CultureInfo.InvariantCulture, $" ({octets >> 30} GiB)");

    private static string? Allowed(PropertyInfo property, string unit)
    {
        if (property.GetCustomAttribute<RangeAttribute>() is { } range)
        {
            return $"{End(range.Minimum)} to {End(range.Maximum)}";
        }
        Type type = Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType;
        return type.IsEnum ? string.Join(", ", Enum.GetNames(type))
            : type == typeof(bool) ? "true, false"
            : property.GetCustomAttribute<RegularExpressionAttribute>() is { } form ? $"matches {form.Pattern}"
            : property.GetCustomAttribute<StringLengthAttribute>() is { } length
                ? string.Create(CultureInfo.InvariantCulture, $"{length.MinimumLength} to {length.MaximumLength} characters")
            : null;

        // Prints a whole number without a fraction even if it is a `double`, because `RangeAttribute` converts `long` values to `double`.
        string End(object end) => end switch
        {
            double number when number == Math.Floor(number) && Math.Abs(number) < 1L << 53 => Text((long)number, unit),
            int number => Text((long)number, unit),
            _ => Text(end, unit),
        };
    }

    // Returns the comments by property name, and the type's own comment under an empty name. The comments come from the file that the
    // compiler writes and the build places next to each program.
    private static Dictionary<string, string> Comments(Type type)
    {
        string file = Path.Combine(AppContext.BaseDirectory, $"{type.Assembly.GetName().Name}.xml");
        if (!System.IO.File.Exists(file))
        {
            return [];
        }
        string name = type.FullName!.Replace('+', '.');
        string prefix = $"P:{name}.";
        return XDocument.Load(file).Descendants("member")
            .Select(member => (Name: member.Attribute("name")?.Value ?? "", Comment: member))
            .Where(member => member.Name.StartsWith(prefix, StringComparison.Ordinal) || member.Name == $"T:{name}")
            .ToDictionary(member => member.Name.StartsWith('T') ? "" : member.Name[prefix.Length..],
                member => Sentence(member.Comment.Element("summary")));
    }

    private static string Sentence(XElement? comment) =>
        comment is null ? "" : Blanks().Replace(string.Concat(comment.Nodes().Select(Words)), " ").Trim();

    private static string Words(XNode node) => node switch
    {
        XText text => text.Value,
        XElement { Name.LocalName: "see" } see => see.Attribute("cref")?.Value.Split('.')[^1] ?? "",
        XElement { Name.LocalName: "c" } code => $"`{code.Value}`",
        XElement other => string.Concat(other.Nodes().Select(Words)),
        _ => "",
    };

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
