using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Optiks.Settings;

/// <summary>Describes a section of the configuration, with the options that are bound to it and their validation. Immutable.</summary>
public sealed class SettingsSection
{
    private readonly Func<IConfiguration, IEnumerable<string>> _validate;

    private SettingsSection(string path, Type options, Func<IConfiguration, IEnumerable<string>> validate)
    {
        Path = path;
        Options = options;
        _validate = validate;
    }

    /// <summary>The section's path, such as <c>Optiks:Storage</c>.</summary>
    public string Path { get; }

    /// <summary>The type of the options that are bound to the section.</summary>
    public Type Options { get; }

    /// <summary>
    /// Makes a section whose options have the type <typeparamref name="T"/>. A program validates them at its start with the given
    /// validator; if it is null, there is no validation.
    /// </summary>
    internal static SettingsSection Create<T>(string path, IValidateOptions<T>? validator = null)
        where T : class, new() => new(path, typeof(T), configuration =>
            validator?.Validate(null, configuration.GetSection(path).Get<T>() ?? new T()) is { Failed: true } result
                ? result.Failures
                : []);

    /// <summary>
    /// Returns a sentence about each setting that a program would refuse. The caller must have checked that all settings of the section
    /// have the right types.
    /// </summary>
    internal IEnumerable<string> Validate(IConfiguration configuration) => _validate(configuration);
}
