namespace Optiks.ApiKeys;

/// <summary>ApiKeyEntry is one accepted API key, without the key.</summary>
/// <param name="Name">Who it was given to; appears in logs.</param>
/// <param name="Hash">SHA-256 of the key's text, 32 octets.</param>
/// <param name="Scopes">What it allows.</param>
public sealed record ApiKeyEntry(string Name, ReadOnlyMemory<byte> Hash, ApiScopes Scopes);
