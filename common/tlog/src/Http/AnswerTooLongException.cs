namespace Optiks.Tlog;

/// <summary>AnswerTooLongException: a server's answer is longer than its kind can be. Nothing beyond the limit was kept.</summary>
public sealed class AnswerTooLongException : HttpRequestException
{
    /// <summary>AnswerTooLongException for an answer with a limit of so many octets.</summary>
    public AnswerTooLongException(int maxLength)
        : base($"The answer is longer than {maxLength} octets.") => MaxLength = maxLength;

    /// <summary>MaxLength that the answer could have.</summary>
    public int MaxLength { get; }
}
