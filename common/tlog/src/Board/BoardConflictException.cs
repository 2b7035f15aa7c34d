namespace Optiks.Tlog;

/// <summary>
/// BoardConflictException says that a board holds something other than what its writer is about to publish: two writers with different
/// histories, a rolled-back database, or a damaged disk. Publishing must stop; trying again cannot help.
/// </summary>
public sealed class BoardConflictException : Exception
{
    /// <summary>BoardConflictException with a sentence that names the file.</summary>
    public BoardConflictException(string message)
        : base(message)
    {
    }

    /// <summary>BoardConflictException with the failure that revealed it.</summary>
    public BoardConflictException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
