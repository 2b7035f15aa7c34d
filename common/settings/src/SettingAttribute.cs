namespace Optiks.Settings;

/// <summary>SettingAttribute says of a setting what neither its type nor its range does.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class SettingAttribute : Attribute
{
    /// <summary>Octets is the unit of sizes, which the reference shows in MiB as well.</summary>
    public const string Octets = "octets";

    /// <summary>Unit of a number.</summary>
    public string Unit { get; init; } = "";

    /// <summary>File that the setting names.</summary>
    public SettingFile File { get; init; }
}
