namespace Optiks.Stress;

/// <summary>Ends the program with a sentence for the user and an exit code.</summary>
internal sealed class StressException : Exception
{
    public StressException(string message, int exitCode, Exception? inner = null)
        : base(message, inner) => ExitCode = exitCode;

    public int ExitCode { get; }
}
