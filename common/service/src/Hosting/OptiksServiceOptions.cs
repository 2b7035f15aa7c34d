using Optiks.Settings;

namespace Optiks.ServiceDefaults;

/// <summary>OptiksServiceOptions says how a host differs from the others.</summary>
public sealed record OptiksServiceOptions
{
    /// <summary>Name in telemetry, such as <c>optiks-query-service</c>.</summary>
    public required string Name { get; init; }

    /// <summary>DefaultUrl to listen on when neither <c>--urls</c>, <c>ASPNETCORE_URLS</c> nor Kestrel endpoints are configured.</summary>
    public required string DefaultUrl { get; init; }

    /// <summary>Settings that the host reads beside those of the defaults: options by the section that they are bound to. A setting under <c>Optiks:</c> that none of them has is refused.</summary>
    public required IReadOnlyDictionary<string, Type> Settings { get; init; }

    /// <summary>WritesData says whether the host writes to the data folder, which is then tried at the start.</summary>
    /// <value>false: it only reads there.</value>
    public bool WritesData { get; init; }

    /// <summary>PartlyReadSettings are read as well, of sections whose other settings are another host's: for <c>--help</c>.</summary>
    public IReadOnlyDictionary<string, Type> PartlyReadSettings { get; init; } = new Dictionary<string, Type>();

    /// <summary>Purpose is what the host does, for <c>--help</c>.</summary>
    public string Purpose { get; init; } = "";

    /// <summary>Variables of the environment that the host reads beside those of the defaults, with their meaning, for <c>--help</c>.</summary>
    public IReadOnlyDictionary<string, string> Variables { get; init; } = new Dictionary<string, string>();

    /// <summary>ExitCodes that the host has beside those of the defaults, with their meaning, for <c>--help</c>.</summary>
    public IReadOnlyDictionary<int, string> ExitCodes { get; init; } = new Dictionary<int, string>();

    /// <summary>Of a program whose settings, variables and exit codes <see cref="Programs"/> knows.</summary>
    public static OptiksServiceOptions Of(ProgramSettings program)
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

    /// <summary>MaxRequestBodyLength in octets of the longest body that an endpoint takes; endpoints pass their exact limits to <see cref="RequestBody.ReadAsync"/>.</summary>
    /// <value>1 MiB.</value>
    public long MaxRequestBodyLength { get; init; } = 1024 * 1024;

    /// <summary>AllSettings are the host's own and those of the defaults.</summary>
    internal IReadOnlyDictionary<string, Type> AllSettings => new Dictionary<string, Type>(Settings.Concat(Types(SettingsSections.OfServices)));

    private static Dictionary<string, Type> Types(IEnumerable<SettingsSection> sections) => sections.ToDictionary(section => section.Path, section => section.Options);
}
