namespace Optiks.Client;

/// <summary>One request to a server.</summary>
/// <param name="Server">The server's URL.</param>
/// <param name="Path">Path below the server's URL, with the query.</param>
/// <param name="Accept">Media type that the answer must have; null for any media type.</param>
/// <param name="MaxLength">The most octets that the answer may have.</param>
internal sealed record ServerRequest(Uri Server, string Path, string? Accept, int MaxLength)
{
    /// <summary>The body of a POST with its media type; null for a GET.</summary>
    public (ReadOnlyMemory<byte> Octets, string MediaType)? Body { get; init; }

    /// <summary>Whether to send the API key or token, if the client has one of them.</summary>
    public bool Authorize { get; init; }
}
