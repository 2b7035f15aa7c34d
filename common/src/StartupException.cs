namespace Optiks;

/// <summary>Ends a program with one sentence that says what is wrong and what to do, and an exit code of <see cref="ExitCodes"/>.</summary>
public sealed class StartupException : Exception
{
    public StartupException()
    {
    }

    public StartupException(string message)
        : base(message)
    {
    }

    public StartupException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    public StartupException(int exitCode, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        ExitCode = exitCode;
    }

    /// <summary>The program's exit code.</summary>
    /// <value><see cref="ExitCodes.Configuration"/>.</value>
    public int ExitCode { get; } = ExitCodes.Configuration;
}
