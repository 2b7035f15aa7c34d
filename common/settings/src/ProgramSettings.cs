namespace Optiks.Settings;

/// <summary>Lists the settings that one program reads, and the other facts that an operator must know to run it. Immutable.</summary>
public sealed record ProgramSettings
{
    /// <summary>The program's short name, such as <c>update-task</c>.</summary>
    public required string Program { get; init; }

    /// <summary>The program's name in telemetry, such as <c>optiks-update-task</c>.</summary>
    public string Name => $"optiks-{Program}";

    /// <summary>The URL on which the program listens by default.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>The program's purpose, in a sentence or two.</summary>
    public required string Purpose { get; init; }

    /// <summary>The sections that the program reads in addition to <see cref="SettingsSections.OfServices"/>.</summary>
    public IReadOnlyList<SettingsSection> Own { get; init; } = [];

    /// <summary>The sections that the program reads only in part; another program reads their other settings.</summary>
    public IReadOnlyList<SettingsSection> PartlyRead { get; init; } = [];

    /// <summary>
    /// The environment variables that the program reads in addition to the variables of all services, with their meanings.
    /// </summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>();

    /// <summary>The exit codes that the program has in addition to the exit codes of all services, with their meanings.</summary>
    public IReadOnlyDictionary<int, string> ExitCodes { get; init; } = new Dictionary<int, string>();

    /// <summary>The sections of which the program reads all settings.</summary>
    public IEnumerable<SettingsSection> Sections => Own.Concat(SettingsSections.OfServices);
}
