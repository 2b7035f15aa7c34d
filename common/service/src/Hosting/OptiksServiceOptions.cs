using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>Describes what distinguishes a service from the other services.</summary>
public sealed record OptiksServiceOptions
{
    /// <summary>The service's name in telemetry, such as <c>optiks-query-service</c>.</summary>
    public required string Name { get; init; }

    /// <summary>The URL on which the service listens if neither <c>--urls</c> nor <c>ASPNETCORE_URLS</c> nor Kestrel endpoints are
    /// configured.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>
    /// The settings that the host reads in addition to the settings of every host. The dictionary maps each section's name to the type of
    /// its options. The host does not start if the configuration has a setting under <c>Optiks:</c> that these types do not have.
    /// </summary>
    public required IReadOnlyDictionary<string, Type> Settings { get; init; }

    /// <summary>The OpenAPI document of the service; null if the service has only health and metrics endpoints.</summary>
    public ApiDocument? Api { get; init; }

    /// <summary>Whether the host writes to the data folder. If it does, it checks at the start that it may write there.</summary>
    /// <value>The default is false, which means that the host only reads from the folder.</value>
    public bool WritesData { get; init; }

    /// <summary>
    /// The sections of which this host reads only some settings, each with the options type that has these settings, for <c>--help</c>. The
    /// other settings in these sections belong to another host.
    /// </summary>
    public IReadOnlyDictionary<string, Type> PartlyReadSettings { get; init; } = new Dictionary<string, Type>();

    /// <summary>The host's purpose, which <c>--help</c> shows.</summary>
    public string Purpose { get; init; } = "";

    /// <summary>
    /// The environment variables that the host reads in addition to the variables of every host, with their meanings, for <c>--help</c>.
    /// </summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>();

    /// <summary>The exit codes that the host has in addition to the codes of every host, with their meanings, for <c>--help</c>.</summary>
    public IReadOnlyDictionary<int, string> ExitCodes { get; init; } = new Dictionary<int, string>();

    /// <summary>Makes options with the settings, variables and exit codes that <see cref="Programs"/> lists for a program.</summary>
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
    /// The greatest length in bytes of a body that any endpoint of the service accepts. Each endpoint passes its own limit to
    /// <see cref="RequestBody.ReadAsync"/>.
    /// </summary>
    /// <value>The default is 1 MiB.</value>
    public long MaxRequestBodyLength { get; init; } = 1024 * 1024;

    /// <summary>The host's own settings and the settings of every host.</summary>
    internal IReadOnlyDictionary<string, Type> AllSettings =>
        new Dictionary<string, Type>(Settings.Concat(Types(SettingsSections.OfServices)));

    private static Dictionary<string, Type> Types(IEnumerable<SettingsSection> sections) =>
        sections.ToDictionary(section => section.Path, section => section.Options);
}
