using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.Json;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Reads settings from the JSON file that the environment variable OPTIKS_CONFIG names. An operator keeps this file outside the programs'
/// folder, and can make a running service reload it. The environment and the command line override the file, and the file overrides
/// appsettings.json.
/// </summary>
internal sealed class SettingsFile : ConfigurationProvider, IConfigurationSource
{
    /// <summary>The environment variable that names the file.</summary>
    public const string Variable = "OPTIKS_CONFIG";

    private readonly string _path;

    // The providers that override this file: the environment, the command line, and the values that the host itself sets. The list is
    // copied at the start, because the host later adds a provider that combines all providers, including this file.
    private readonly IConfigurationProvider[] _above;

    // The names of the settings that the host itself has set. The host's values override the values in the file.
    private readonly HashSet<string> _set = new(StringComparer.OrdinalIgnoreCase);

    private SettingsFile(string path, IConfigurationRoot configuration)
    {
        _path = path;
        _above = [.. configuration.Providers.Where(provider => provider is not JsonConfigurationProvider)];
    }

    /// <summary>
    /// Adds the file to the configuration's sources; returns null if no file is named. Throws <see cref="StartupException"/> if the file is
    /// missing or not JSON.
    /// </summary>
    public static SettingsFile? AddTo(ConfigurationManager configuration)
    {
        if (configuration[Variable] is not { Length: > 0 } path)
        {
            return null;
        }
        var file = new SettingsFile(Path.GetFullPath(path), configuration);
        // The file is added as the last source. If it were inserted before other sources, these sources would be built again and would lose
        // the values that hosts have set. The last source overrides all others, so `Read` leaves out the settings that the environment, the
        // command line or the host contain.
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
    /// Reads the file again, and calls the action <paramref name="check"/>, which throws an exception if it does not accept the new
    /// configuration. If the action throws, this method restores all previous settings and throws the same exception. Returns the names of
    /// the settings that were added, removed or changed. Throws <see cref="StartupException"/> if the file cannot be read.
    /// </summary>
    public IReadOnlyList<string> Reload(Action check)
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
            .Where(
                name => !string.Equals(before.TryGetValue(name, out string? old) ? old : null,
                    now.TryGetValue(name, out string? found) ? found : null, StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];
    }

    private Dictionary<string, string?> Read()
    {
        try
        {
            using FileStream stream = File.OpenRead(_path);
            IEnumerable<KeyValuePair<string, string?>> said = new ConfigurationBuilder().AddJsonStream(stream).Build().AsEnumerable();
            return new Dictionary<string, string?>(
                said.Where(setting => setting.Value is not null && !IsOverridden(setting.Key)), StringComparer.OrdinalIgnoreCase);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new StartupException($"The settings of {Variable} cannot be read: {e.Message}", e);
        }
        catch (Exception e) when (e is JsonException or FormatException)
        {
            throw new StartupException($"The settings of {Variable}, {_path}, are not a JSON object: {e.Message}", e);
        }
    }

    private bool IsOverridden(string name) => _set.Contains(name) || _above.Any(provider => provider.TryGet(name, out _));
}
