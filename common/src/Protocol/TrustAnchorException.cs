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
}
