namespace Optiks.Settings;

/// <summary>Describes a setting beyond its type and range.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class SettingAttribute : Attribute
{
    /// <summary>The unit of sizes, which the reference also shows in MiB.</summary>
    public const string Octets = "bytes";

    /// <summary>The unit of a number.</summary>
    public string Unit { get; init; } = "";

    /// <summary>The kind of file that the setting names.</summary>
    public SettingFile File { get; init; }
}
