namespace Optiks.ServiceDefaults;

/// <summary>
/// Carries a problem out of a nested parser. Expected outcomes are returned as <see cref="Optiks.ServiceDefaults.Problem"/> instead.
/// </summary>
public sealed class ProblemException : Exception
{
    public ProblemException()
        : this(new Problem(ProblemTypes.Internal, ProblemTypes.Internal.Title))
    {
    }

    public ProblemException(string message)
        : this(new Problem(ProblemTypes.Internal, message))
    {
    }

    public ProblemException(string message, Exception innerException)
        : base(message, innerException)
    {
        Problem = new Problem(ProblemTypes.Internal, message);
    }

    public ProblemException(Problem problem, Exception? innerException = null)
        : base(problem?.Detail, innerException)
    {
        ArgumentNullException.ThrowIfNull(problem);
        Problem = problem;
    }

    /// <summary>The problem to answer with.</summary>
    public Problem Problem { get; }
}
