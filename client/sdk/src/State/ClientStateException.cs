namespace Optiks.Client;

/// <summary>
/// Says in one sentence why remembered state cannot be used. The client never replaces it by an empty state: that would forget what was
/// verified.
/// </summary>
public sealed class ClientStateException : Exception
{
    public ClientStateException()
    {
    }

    public ClientStateException(string message)
        : base(message)
    {
    }

    public ClientStateException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
