namespace Optiks.Client;

/// <summary>
/// Says in one sentence why the client cannot use its stored state. The client never replaces that state by an empty one, because it would
/// forget what it verified.
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
