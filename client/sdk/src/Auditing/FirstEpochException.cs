namespace Optiks.Client;

/// <summary>
/// Reports that the caller wants a new auditor to start at an epoch that the log does not have yet. This is a mistake of the caller, not a
/// fault of the log.
/// </summary>
public sealed class FirstEpochException : Exception
{
    public FirstEpochException()
    {
    }

    public FirstEpochException(string message)
        : base(message)
    {
    }

    public FirstEpochException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    internal FirstEpochException(ulong first, ulong latest)
        : base($"The log has no epoch {first} yet. Its latest is {latest}: an auditor starts at one of 0 to {latest}.")
    {
        Latest = latest;
    }

    /// <summary>The log's latest epoch, according to its signed checkpoint.</summary>
    public ulong Latest { get; }
}
