namespace Optiks.Db.Planning;

/// <summary>MeasuredFigure is one that a plan reckons with, and where it was measured.</summary>
/// <param name="Name">Name of the figure, with its unit.</param>
/// <param name="Value">Value in that unit.</param>
/// <param name="Page">Page of this repository that has the measurement.</param>
/// <param name="Quoted">What stands there, word for word.</param>
internal sealed record MeasuredFigure(string Name, double Value, string Page, string Quoted);
