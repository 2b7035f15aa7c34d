namespace Optiks.Db.Planning;

/// <summary>A measured figure that a plan uses, with the page that reports the measurement.</summary>
/// <param name="Name">The name of the figure, with its unit.</param>
/// <param name="Value">The value of the figure in that unit.</param>
/// <param name="Page">The page of this repository that reports the measurement.</param>
/// <param name="Quoted">The text on that page that states the figure, word for word.</param>
internal sealed record MeasuredFigure(string Name, double Value, string Page, string Quoted);
