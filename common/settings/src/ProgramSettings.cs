namespace Optiks.Settings;

/// <summary>ProgramSettings say what one program reads from its configuration, and what else an operator has to know to run it. Immutable.</summary>
public sealed record ProgramSettings
{
    /// <summary>Program is its short name, such as <c>update-task</c>.</summary>
    public required string Program { get; init; }

    /// <summary>Name in telemetry, such as <c>optiks-update-task</c>.</summary>
    public string Name => $"optiks-{Program}";

    /// <summary>DefaultUrl to listen on.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>Purpose is what it does, in a sentence or two.</summary>
    public required string Purpose { get; init; }

    /// <summary>Own are the sections that it reads beside <see cref="SettingsSections.OfServices"/>.</summary>
    public IReadOnlyList<SettingsSection> Own { get; init; } = [];

    /// <summary>PartlyRead are sections whose other settings are another program's.</summary>
    public IReadOnlyList<SettingsSection> PartlyRead { get; init; } = [];

    /// <summary>Variables of the environment that it reads beside those of all services, with their meaning.</summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>();

    /// <summary>ExitCodes that it has beside those of all services, with their meaning.</summary>
    public IReadOnlyDictionary<int, string> ExitCodes { get; init; } = new Dictionary<int, string>();

    /// <summary>Sections that it knows all settings of.</summary>
    public IEnumerable<SettingsSection> Sections => Own.Concat(SettingsSections.OfServices);
}
