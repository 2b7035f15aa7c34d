namespace Optiks.ServiceDefaults;

/// <summary>
/// Carries a problem from a nested parser to the code that answers the request. Endpoints return a
/// <see cref="Optiks.ServiceDefaults.Problem"/> instead of throwing this exception.
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

    /// <summary>The problem with which the service answers the request.</summary>
    public Problem Problem { get; }
}
