namespace Optiks.ApiKeys;

/// <summary>Says in one sentence why a requested change of a file of API keys was not made.</summary>
public sealed class ApiKeyEditException : Exception
{
    public ApiKeyEditException()
    {
    }

    public ApiKeyEditException(string message)
        : base(message)
    {
    }

    public ApiKeyEditException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
