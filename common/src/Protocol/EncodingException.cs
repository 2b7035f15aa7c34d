namespace Optiks.Protocol;

/// <summary>EncodingException says why octets are not the structure that they should be (docs/spec/encoding.md section 3).</summary>
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

    /// <summary>Reason of the list that all verifiers share.</summary>
    public Reason Reason { get; } = Reason.MalformedEnum;
}
