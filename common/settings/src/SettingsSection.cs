using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Optiks.Settings;

/// <summary>SettingsSection is a section of the configuration, with the options that are bound to it and what is asked of them. Immutable.</summary>
public sealed class SettingsSection
{
    private readonly Func<IConfiguration, IEnumerable<string>> _validate;

    private SettingsSection(string path, Type options, Func<IConfiguration, IEnumerable<string>> validate)
    {
        Path = path;
        Options = options;
        _validate = validate;
    }

    /// <summary>Path such as <c>Optiks:Storage</c>.</summary>
    public string Path { get; }

    /// <summary>Options that are bound to it.</summary>
    public Type Options { get; }

    /// <summary>Of the options of one type, and what a program has them validated by at its start; null: nothing.</summary>
    internal static SettingsSection Of<T>(string path, IValidateOptions<T>? validator = null)
        where T : class, new() => new(path, typeof(T), configuration =>
            validator?.Validate(null, configuration.GetSection(path).Get<T>() ?? new T()) is { Failed: true } result ? result.Failures : []);

    /// <summary>Validate says in sentences what a program would refuse. All settings of the section must be of their types.</summary>
    internal IEnumerable<string> Validate(IConfiguration configuration) => _validate(configuration);
}
