namespace Optiks.Secrets;

/// <summary>
/// Says that a key outside the program, such as in a token, cannot be used for now. The caller signs once the key is available again. The
/// message names the failure in a sentence, and contains no secret.
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
