namespace Optiks.Tlog;

/// <summary>
/// Says that a board's contents differ from those that its writer is about to publish. The cause is two writers with different histories, a
/// rolled-back database, or a damaged disk. Publishing must stop; a retry cannot help.
/// </summary>
public sealed class BoardConflictException : Exception
{
    /// <summary>Takes a sentence that names the file.</summary>
    public BoardConflictException(string message)
        : base(message)
    {
    }

    /// <summary>Takes a sentence and the failure that revealed the conflict.</summary>
    public BoardConflictException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
