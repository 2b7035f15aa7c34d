namespace Optiks.Client;

/// <summary>Says on which side a request failed.</summary>
public enum ServerFailure
{
    /// <summary>No answer, because of the network, the name, or the time limit.</summary>
    Unreachable,

    /// <summary>The server refused with a problem document; see its type.</summary>
    Refused,

    /// <summary>The server answered with something that this protocol does not have.</summary>
    Unusable,

    /// <summary>The request was not sent, because it would have shown the API key or token to everyone on the way.</summary>
    Insecure,
}
