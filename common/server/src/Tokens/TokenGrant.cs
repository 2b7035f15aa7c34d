using Optiks.ApiKeys;

namespace Optiks.Tokens;

/// <summary>Holds the contents of a token (docs/spec/tokens.md section 2).</summary>
/// <param name="Audience">The log's audience.</param>
/// <param name="Subject">The name of the party that the token is for. The service counts requests with the token against this party's rate
/// limit.</param>
/// <param name="Scopes">The scopes that the token grants.</param>
/// <param name="IssuedAt">The time from which the token is valid, in whole seconds.</param>
/// <param name="Lifetime">The time for which the token is valid, in whole seconds.</param>
public sealed record TokenGrant(string Audience, string Subject, ApiScopes Scopes, DateTimeOffset IssuedAt, TimeSpan Lifetime)
{
    /// <summary>The keys that the token's claims name.</summary>
    /// <value>The default is no keys.</value>
    public IReadOnlyList<ReadOnlyMemory<byte>> Keys { get; init; } = [];

    /// <summary>The id of the user that the token's claims name.</summary>
    /// <value>The default is null, which means that the token names no user.</value>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>The time from which the token is no longer valid.</summary>
    public DateTimeOffset Expires => IssuedAt + Lifetime;
}
