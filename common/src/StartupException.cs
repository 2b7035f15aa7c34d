namespace Optiks;

/// <summary>Says in one sentence why a program cannot start and what to do. The program prints the sentence and ends with one of the
/// <see cref="ExitCodes"/>.</summary>
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
    /// <value>The default is <see cref="ExitCodes.Configuration"/>.</value>
    public int ExitCode { get; } = ExitCodes.Configuration;
}
