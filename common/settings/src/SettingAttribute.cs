namespace Optiks.Settings;

/// <summary>States facts about a setting that its type and range do not show.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class SettingAttribute : Attribute
{
    /// <summary>The unit of sizes in bytes, which the reference of settings also shows in MiB.</summary>
    public const string Octets = "bytes";

    /// <summary>The unit of the setting's number.</summary>
    public string Unit { get; init; } = "";

    /// <summary>The kind of file that the setting names.</summary>
    public SettingFile File { get; init; }
}
