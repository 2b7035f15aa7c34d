namespace Optiks.Settings;

/// <summary>Describes one fault in a configuration.</summary>
/// <param name="Kind">The kind of fault.</param>
/// <param name="Setting">The setting, section or variable at fault.</param>
/// <param name="Text">A sentence for the operator. It does not quote the setting's text, which may be a misplaced secret.</param>
public sealed record ConfigurationProblem(ConfigurationProblemKind Kind, string Setting, string Text);
