namespace Optiks.Protocol;

/// <summary>Says why bytes cannot be decoded as the expected structure (docs/spec/encoding.md section 3).</summary>
public sealed class EncodingException : Exception
{
    public EncodingException()
    {
    }

    public EncodingException(string message)
        : base(message)
    {
    }

    public EncodingException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    public EncodingException(Reason reason, string what)
        : base($"{what}: {reason.Name()}")
    {
        Reason = reason;
    }

    /// <summary>The reason, as in the list of reasons that all verifiers share.</summary>
    public Reason Reason { get; } = Reason.MalformedEnum;
}
