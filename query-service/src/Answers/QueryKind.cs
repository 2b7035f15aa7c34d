namespace Optiks.QueryService.Answers;

/// <summary>QueryKind is what a query asks for.</summary>
internal enum QueryKind
{
    Lookup,
    History,
    Monitor,
}
