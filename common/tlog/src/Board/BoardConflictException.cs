namespace Optiks.Tlog;

/// <summary>
/// Says that a board's files contradict what its writer is about to publish. The cause is two writers with different histories, a
/// rolled-back database, or a damaged disk. The writer must stop publishing, because a retry cannot help.
/// </summary>
public sealed class BoardConflictException : Exception
{
    /// <summary>Creates an exception with a sentence that names the contradicting file.</summary>
    public BoardConflictException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an exception with a sentence that names the contradicting file, and with the failure that revealed the
    /// conflict.</summary>
    public BoardConflictException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
