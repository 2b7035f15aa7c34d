namespace Optiks.Settings;

/// <summary>Says what is wrong with a setting. Every kind except <see cref="Warning"/> keeps a program from starting.</summary>
public enum ConfigurationProblemKind
{
    /// <summary>No program has such a setting.</summary>
    Unknown,

    /// <summary>The text does not have the setting's type.</summary>
    Type,

    /// <summary>The value is out of its range, missing, or contradicts another.</summary>
    Value,

    /// <summary>The named file is missing, cannot be read, or is open to others.</summary>
    File,

    /// <summary>The program starts, but probably not with the effect that the operator intended.</summary>
    Warning,
}
