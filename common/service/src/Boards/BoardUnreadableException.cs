namespace Optiks.ServiceDefaults;

/// <summary>
/// Says that a file of the board that must exist according to the log is missing, cannot be read, or has other contents. Anyone may read
/// the exception's text.
/// </summary>
public sealed class BoardUnreadableException : Exception
{
    /// <summary>Takes a sentence and the exception that caused it, if another exception was the cause.</summary>
    public BoardUnreadableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
