namespace Optiks.ServiceDefaults;

/// <summary>ProblemType is one of the fixed kinds of error answers (docs/spec/rest.md section 2).</summary>
/// <param name="Name">Last part of the type's URN.</param>
/// <param name="Status">HTTP status.</param>
/// <param name="Title">What it means, the same for every occurrence.</param>
public sealed record ProblemType(string Name, int Status, string Title)
{
    private const string Prefix = "urn:optiks:problem:";

    /// <summary>Urn that stands as <c>type</c>.</summary>
    public string Urn { get; } = Prefix + Name;
}
