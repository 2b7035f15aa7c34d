namespace Optiks.Tlog;

/// <summary>Says that a server's answer is longer than its kind can be. Nothing beyond the limit was kept.</summary>
public sealed class AnswerTooLongException : HttpRequestException
{
    /// <summary>Takes the limit in bytes.</summary>
    public AnswerTooLongException(int maxLength)
        : base($"The answer is longer than {maxLength} bytes.") => MaxLength = maxLength;

    /// <summary>The limit that the answer exceeded.</summary>
    public int MaxLength { get; }
}
