namespace Optiks.Secrets;

/// <summary>SignerUnavailableException: a key that is elsewhere, such as in a token, cannot be used for now. What was to be signed is signed when it can. Its message says in a sentence what failed, and holds nothing secret.</summary>
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
