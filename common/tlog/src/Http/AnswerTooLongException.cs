namespace Optiks.Tlog;

/// <summary>
/// Says that a server's answer is longer than a valid answer of its kind can be. The reader kept nothing beyond the limit.
/// </summary>
public sealed class AnswerTooLongException : HttpRequestException
{
    /// <summary>Takes the limit in bytes.</summary>
    public AnswerTooLongException(int maxLength)
        : base($"The answer is longer than {maxLength} bytes.") => MaxLength = maxLength;

    /// <summary>The limit that the answer exceeded, in bytes.</summary>
    public int MaxLength { get; }
}
