namespace Optiks.Client;

/// <summary>ClientStateException says in one sentence why remembered state cannot be used. It is never replaced by an empty one: that would forget what was verified.</summary>
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
