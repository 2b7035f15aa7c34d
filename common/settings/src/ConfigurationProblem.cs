namespace Optiks.Settings;

/// <summary>Describes one fault in a configuration.</summary>
/// <param name="Kind">The kind of fault.</param>
/// <param name="Setting">The name of the setting, section or variable that has the fault.</param>
/// <param name="Text">A sentence for the operator. It does not quote the setting's value, which may be a secret in the wrong place.</param>
public sealed record ConfigurationProblem(ConfigurationProblemKind Kind, string Setting, string Text);
