namespace Optiks.Secrets;

/// <summary>
/// Says that a key outside the program, such as a key in a token, cannot be used at the moment. The caller tries again until the key is
/// available. The message describes the failure in one sentence and contains no secret.
/// </summary>
public sealed class SignerUnavailableException : Exception
{
    public SignerUnavailableException()
    {
    }

    public SignerUnavailableException(string message)
        : base(message)
    {
    }

    public SignerUnavailableException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
