namespace Optiks.Secrets;

/// <summary>
/// Says in one sentence what is wrong with a key or a key file and what to do. The message never contains secret bytes. Hosts exit with
/// <see cref="ExitCodes.Configuration"/>; they never replace the key by a new key.
/// </summary>
public sealed class SecretsException : Exception
{
    public SecretsException()
    {
    }

    public SecretsException(string message)
        : base(message)
    {
    }

    public SecretsException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
