using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;

namespace Optiks.ServiceDefaults;

/// <summary>
/// SettingsFile is the JSON file that <see cref="Variable"/> names: settings that an operator keeps outside of the programs' folder, and that can be read anew while the service runs. The environment and the command line win
/// over it, and it over appsettings.json.
/// </summary>
internal sealed class SettingsFile : ConfigurationProvider, IConfigurationSource
{
    /// <summary>Variable of the environment.</summary>
    public const string Variable = "OPTIKS_CONFIG";

    private readonly string _path;

    // The environment, the command line, and what the host set. Taken at the start: later the host adds one that has all of them, and this one.
    private readonly IConfigurationProvider[] _above;

    // By the host itself, in all sources: what it says wins.
    private readonly HashSet<string> _set = new(StringComparer.OrdinalIgnoreCase);

    private SettingsFile(string path, IConfigurationRoot configuration)
    {
        _path = path;
        _above = [.. configuration.Providers.Where(provider => provider is not JsonConfigurationProvider)];
    }

    /// <summary>AddTo puts the file among the sources; null when none is named. Throws <see cref="StartupException"/> for one that is missing or no JSON.</summary>
    public static SettingsFile? AddTo(ConfigurationManager configuration)
    {
        if (configuration[Variable] is not { Length: > 0 } path)
        {
            return null;
        }
        var file = new SettingsFile(Path.GetFullPath(path), configuration);
        // At the end, where the file would win over all: inserting it elsewhere has the others made anew, without what hosts have set. Hence Read leaves out what these say.
        configuration.Sources.Add(file);
        return file;
    }

    /// <inheritdoc/>
    public IConfigurationProvider Build(IConfigurationBuilder builder) => this;

    /// <inheritdoc/>
    public override void Load() => Data = Read();

    /// <inheritdoc/>
    public override void Set(string key, string? value)
    {
        _set.Add(key);
        Data.Remove(key);
    }

    /// <summary>
    /// ReadAgain takes what the file says now, if <paramref name="check"/> finds nothing wrong with the configuration that it makes; what it throws leaves everything as it was. Returns the names of settings that are new, gone or
    /// changed. Throws <see cref="StartupException"/> for a file that cannot be read.
    /// </summary>
    public IReadOnlyList<string> ReadAgain(Action check)
    {
        ArgumentNullException.ThrowIfNull(check);
        IDictionary<string, string?> before = Data;
        IDictionary<string, string?> now = Read();
        Data = now;
        try
        {
            check();
        }
        catch
        {
            Data = before;
            throw;
        }
        OnReload();
        return [.. before.Keys.Union(now.Keys, StringComparer.OrdinalIgnoreCase)
            .Where(name => !string.Equals(before.TryGetValue(name, out string? old) ? old : null, now.TryGetValue(name, out string? found) ? found : null, StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];
    }

    private Dictionary<string, string?> Read()
    {
        try
        {
            using FileStream stream = File.OpenRead(_path);
            IEnumerable<KeyValuePair<string, string?>> said = new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable();
            return new Dictionary<string, string?>(said.Where(setting => setting.Value is not null && !IsSaidAbove(setting.Key)), StringComparer.OrdinalIgnoreCase);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The settings of {Variable} cannot be read: {e.Message}", e);
        }
        catch (Exception e) when (e is JsonException or FormatException)
        {
            throw new StartupException($"The settings of {Variable}, {_path}, are not an object of JSON: {e.Message}", e);
        }
    }

    private bool IsSaidAbove(string name) => _set.Contains(name) || _above.Any(provider => provider.TryGet(name, out _));
}
