namespace Optiks.Client;

/// <summary>ServerRequest is one request to a server.</summary>
/// <param name="Server">The server's URL.</param>
/// <param name="Path">Path below it, with the query.</param>
/// <param name="Accept">Media type that the answer must have; null: any.</param>
/// <param name="MaxLength">Octets that the answer may have.</param>
internal sealed record ServerRequest(Uri Server, string Path, string? Accept, int MaxLength)
{
    /// <summary>Body of a POST with its media type; null: a GET.</summary>
    public (ReadOnlyMemory<byte> Octets, string MediaType)? Body { get; init; }

    /// <summary>Authorize: with the API key or token, if there is one.</summary>
    public bool Authorize { get; init; }
}
