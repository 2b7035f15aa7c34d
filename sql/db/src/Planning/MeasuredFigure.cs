namespace Optiks.Db.Planning;

/// <summary>A figure that a plan uses, and the place of its measurement.</summary>
/// <param name="Name">The name of the figure, with its unit.</param>
/// <param name="Value">The value in that unit.</param>
/// <param name="Page">The page of this repository with the measurement.</param>
/// <param name="Quoted">The text on that page, word for word.</param>
internal sealed record MeasuredFigure(string Name, double Value, string Page, string Quoted);
