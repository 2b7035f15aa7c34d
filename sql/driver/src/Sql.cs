using System.Diagnostics.CodeAnalysis;

namespace Optiks.Storage.Driver;

/// <summary>The text of one statement of a driver: a constant. Its parameters are written as the engine has them, by position or by name (<see cref="Parameter"/>).</summary>
public class Sql
{
    /// <summary>Sql of a constant text.</summary>
    public Sql([ConstantExpected] string text) => Text = text;

    /// <summary>Text as it is sent.</summary>
    public string Text { get; }
}
