namespace Optiks.ApiKeys;

/// <summary>Describes one accepted API key, without the key itself.</summary>
/// <param name="Name">The name of the key's holder, which appears in logs.</param>
/// <param name="Hash">SHA-256 of the key's text, 32 bytes.</param>
/// <param name="Scopes">The key's scopes.</param>
public sealed record ApiKeyEntry(string Name, ReadOnlyMemory<byte> Hash, ApiScopes Scopes);
