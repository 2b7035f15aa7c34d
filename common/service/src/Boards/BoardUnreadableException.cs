namespace Optiks.ServiceDefaults;

/// <summary>
/// Says that a file of the board that must exist according to the log is missing, cannot be read, or has other contents. The message must
/// contain no secrets, because anyone may read it.
/// </summary>
public sealed class BoardUnreadableException : Exception
{
    /// <summary>Creates an exception with a sentence, and with another exception if that was the cause.</summary>
    public BoardUnreadableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
