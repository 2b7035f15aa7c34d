namespace Optiks.Client;

/// <summary>The cause of a failed request.</summary>
public enum ServerFailure
{
    /// <summary>The server gave no answer. The network failed, the server's name did not resolve, or the time limit passed.</summary>
    Unreachable,

    /// <summary>The server refused the request with a problem document, whose type says why.</summary>
    Refused,

    /// <summary>The server's answer does not follow this protocol.</summary>
    Unusable,

    /// <summary>The client did not send the request, because everyone on the network path could have read the API key or token.</summary>
    Insecure,
}
