namespace Optiks.Protocol;

/// <summary>Says in one sentence what is wrong with a trust anchor.</summary>
public sealed class TrustAnchorException : Exception
{
    public TrustAnchorException()
    {
    }

    public TrustAnchorException(string message)
        : base(message)
    {
    }

    public TrustAnchorException(string message, Exception innerException)
        : base(message, innerException)
    {
    }

    /// <summary>The reason why the trust anchor is refused (docs/spec/records.md section 1).</summary>
    /// <value>The default is <see cref="Reason.Configuration"/>. If the configuration cannot be decoded, the reason is one of the malformed
    /// reasons.</value>
    public Reason Reason { get; init; } = Reason.Configuration;
}
