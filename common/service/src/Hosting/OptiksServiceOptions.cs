using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>Describes how a host differs from the other hosts.</summary>
public sealed record OptiksServiceOptions
{
    /// <summary>The name in telemetry, such as <c>optiks-query-service</c>.</summary>
    public required string Name { get; init; }

    /// <summary>The URL to listen on if neither <c>--urls</c>, <c>ASPNETCORE_URLS</c> nor Kestrel endpoints are configured.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>
    /// The settings that the host reads in addition to the settings of every host: each section with the type of its options. The start
    /// fails if the configuration has a setting under <c>Optiks:</c> that these options do not have.
    /// </summary>
    public required IReadOnlyDictionary<string, Type> Settings { get; init; }

    /// <summary>The interface for other programs; null if the host has only health and metrics.</summary>
    public ApiDocument? Api { get; init; }

    /// <summary>Whether the host writes to the data folder. If so, the start tests whether it can.</summary>
    /// <value>false: the host only reads from the folder.</value>
    public bool WritesData { get; init; }

    /// <summary>
    /// Further settings that the host reads, for <c>--help</c>. The other settings of their sections belong to another host.
    /// </summary>
    public IReadOnlyDictionary<string, Type> PartlyReadSettings { get; init; } = new Dictionary<string, Type>();

    /// <summary>The host's purpose, for <c>--help</c>.</summary>
    public string Purpose { get; init; } = "";

    /// <summary>
    /// The environment variables that the host reads in addition to the variables of every host, with their meanings, for <c>--help</c>.
    /// </summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>();

    /// <summary>The exit codes that the host has in addition to the codes of every host, with their meanings, for <c>--help</c>.</summary>
    public IReadOnlyDictionary<int, string> ExitCodes { get; init; } = new Dictionary<int, string>();

    /// <summary>Makes the options of a program whose settings, variables and exit codes <see cref="Programs"/> knows.</summary>
    public static OptiksServiceOptions Read(ProgramSettings program)
    {
        ArgumentNullException.ThrowIfNull(program);
        return new OptiksServiceOptions
        {
            Name = program.Name,
            DefaultUrl = program.DefaultUrl,
            Settings = Types(program.Own),
            PartlyReadSettings = Types(program.PartlyRead),
            Purpose = program.Purpose,
            Variables = program.Variables,
            ExitCodes = program.ExitCodes,
        };
    }

    /// <summary>
    /// The length in bytes of the longest body that an endpoint accepts; endpoints pass their exact limits to
    /// <see cref="RequestBody.ReadAsync"/>.
    /// </summary>
    /// <value>1 MiB.</value>
    public long MaxRequestBodyLength { get; init; } = 1024 * 1024;

    /// <summary>The host's own settings and the settings of every host.</summary>
    internal IReadOnlyDictionary<string, Type> AllSettings => new Dictionary<string, Type>(Settings.Concat(Types(SettingsSections.OfServices)));

    private static Dictionary<string, Type> Types(IEnumerable<SettingsSection> sections) => sections.ToDictionary(section => section.Path, section => section.Options);
}
