using System.Diagnostics.CodeAnalysis;

namespace Optiks.Storage;

/// <summary>
/// The constant text of one statement of a driver. The text names its parameters as the engine requires, by position or by name
/// (<see cref="Parameter"/>).
/// </summary>
public class Sql
{
    /// <summary>Creates a statement from a constant text.</summary>
    public Sql([ConstantExpected] string text) => Text = text;

    /// <summary>The text that the driver sends to the engine.</summary>
    public string Text { get; }
}
