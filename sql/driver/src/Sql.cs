using System.Diagnostics.CodeAnalysis;

namespace Optiks.Storage.Driver;

/// <summary>
/// The constant text of one statement of a driver. Its parameters are written in the engine's form, by position or by name
/// (<see cref="Parameter"/>).
/// </summary>
public class Sql
{
    /// <summary>Creates a statement from a constant text.</summary>
    public Sql([ConstantExpected] string text) => Text = text;

    /// <summary>The text that is sent to the engine.</summary>
    public string Text { get; }
}
