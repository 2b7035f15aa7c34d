namespace Optiks.ApiKeys;

/// <summary>Says in one sentence why a file of API keys was not changed as requested.</summary>
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
