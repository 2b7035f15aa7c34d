namespace Optiks.Settings;

/// <summary>ConfigurationProblem is one thing that is wrong with a configuration.</summary>
/// <param name="Kind">What kind of thing.</param>
/// <param name="Setting">Setting, section or variable that it is about.</param>
/// <param name="Text">A sentence for the operator. Without the setting's text, which may be a secret at the wrong place.</param>
public sealed record ConfigurationProblem(ConfigurationProblemKind Kind, string Setting, string Text);
