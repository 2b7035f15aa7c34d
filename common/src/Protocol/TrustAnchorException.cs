namespace Optiks.Protocol;

/// <summary>TrustAnchorException says in one sentence what is wrong with a trust anchor.</summary>
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

    /// <summary>Reason of docs/spec/records.md section 1.</summary>
    /// <value><see cref="Reason.Configuration"/>; a malformed one for a configuration that does not decode.</value>
    public Reason Reason { get; init; } = Reason.Configuration;
}
