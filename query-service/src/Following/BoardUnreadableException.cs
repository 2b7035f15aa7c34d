namespace Optiks.QueryService.Following;

/// <summary>BoardUnreadableException: a file of the board that the log says must exist is missing, cannot be read, or holds something else.</summary>
internal sealed class BoardUnreadableException : Exception
{
    public BoardUnreadableException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
