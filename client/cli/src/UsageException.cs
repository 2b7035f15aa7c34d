namespace Optiks.Cli;

/// <summary>
/// Says in one sentence what is wrong with the command line or the files that it names. The command then ends with exit code 2.
/// </summary>
internal sealed class UsageException : Exception
{
    public UsageException()
    {
    }

    public UsageException(string message)
        : base(message)
    {
    }

    public UsageException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
