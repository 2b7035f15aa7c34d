using Optiks.ApiKeys;

namespace Optiks.Tokens;

/// <summary>TokenGrant is what a token says (docs/spec/tokens.md section 2).</summary>
/// <param name="Audience">The log's audience.</param>
/// <param name="Subject">Who it is for, as rate limits count.</param>
/// <param name="Scopes">What it allows.</param>
/// <param name="IssuedAt">From when on it holds, in whole seconds.</param>
/// <param name="Lifetime">For how long it holds, in whole seconds.</param>
public sealed record TokenGrant(string Audience, string Subject, ApiScopes Scopes, DateTimeOffset IssuedAt, TimeSpan Lifetime)
{
    /// <summary>Keys that it is about.</summary>
    /// <value>None.</value>
    public IReadOnlyList<ReadOnlyMemory<byte>> Keys { get; init; } = [];

    /// <summary>User's id.</summary>
    /// <value>null: it is about no user.</value>
    public ReadOnlyMemory<byte>? User { get; init; }

    /// <summary>Expires is from when on it does not hold.</summary>
    public DateTimeOffset Expires => IssuedAt + Lifetime;
}
