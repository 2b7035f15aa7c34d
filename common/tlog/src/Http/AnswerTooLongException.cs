namespace Optiks.Tlog;

/// <summary>
/// Says that a server's answer is longer than a valid answer of its kind can be. The reader kept no bytes beyond the limit.
/// </summary>
public sealed class AnswerTooLongException : HttpRequestException
{
    /// <summary>Creates an exception about an answer longer than this many bytes.</summary>
    public AnswerTooLongException(int maxLength)
        : base($"The answer is longer than {maxLength} bytes.") => MaxLength = maxLength;

    /// <summary>The greatest length, in bytes, that the answer was allowed to have.</summary>
    public int MaxLength { get; }
}
