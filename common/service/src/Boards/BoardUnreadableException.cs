namespace Optiks.ServiceDefaults;

/// <summary>BoardUnreadableException: a file of the board that the log says must exist is missing, cannot be read, or holds something else. Its text is fit for anyone's eyes.</summary>
public sealed class BoardUnreadableException : Exception
{
    /// <summary>BoardUnreadableException with a sentence, and what was thrown, if anything was.</summary>
    public BoardUnreadableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
