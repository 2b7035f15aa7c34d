namespace Optiks.Settings;

/// <summary>Lists the kinds of problems in a configuration. A problem of any kind except <see cref="Warning"/> keeps a program from
/// starting.</summary>
public enum ConfigurationProblemKind
{
    /// <summary>No program has such a setting.</summary>
    Unknown,

    /// <summary>The setting's text cannot be converted to the setting's type.</summary>
    Type,

    /// <summary>The setting's value is out of its range or missing, or contradicts another setting.</summary>
    Value,

    /// <summary>The file that a setting names is missing, cannot be read, or can be accessed by other users although it has a
    /// key.</summary>
    File,

    /// <summary>The program starts, but probably not with the effect that the operator intended.</summary>
    Warning,
}
