namespace Optiks.Settings;

/// <summary>ConfigurationProblemKind is what is wrong with a setting. All but the last keep a program from starting.</summary>
public enum ConfigurationProblemKind
{
    /// <summary>Unknown: no program has such a setting.</summary>
    Unknown,

    /// <summary>Type: its text is not of the setting's type.</summary>
    Type,

    /// <summary>Value: it is out of its range, missing, or contradicts another.</summary>
    Value,

    /// <summary>File: what it names is missing, cannot be read, or is open to others.</summary>
    File,

    /// <summary>Warning: the program starts, and does not do what the operator will have meant.</summary>
    Warning,
}
