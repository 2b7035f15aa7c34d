using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the identity and the rights of a request's caller, in the same form for API keys and tokens. Immutable, so that any thread may use
/// it.
/// </summary>
public sealed class CallerRights : ClaimsIdentity
{
    private readonly string _name;
    private readonly HashSet<byte[]>.AlternateLookup<ReadOnlySpan<byte>>? _own;
    private readonly byte[]? _user;

    private CallerRights(string name, ApiScopes scopes, HashSet<byte[]>? own, byte[]? user)
        : base(BearerAuthentication.Scheme)
    {
        _name = name;
        _own = own?.GetAlternateLookup<ReadOnlySpan<byte>>();
        _user = user;
        Scopes = scopes;
        Number = HashCode.Combine(own is null, name);
        Principal = new ClaimsPrincipal(this);
    }

    /// <summary>The name of the caller: the name of the API key, or the token's subject.</summary>
    public override string Name => _name;

    /// <summary>The credential's scopes.</summary>
    public ApiScopes Scopes { get; }

    /// <summary>Whether the credential was a token, not an API key.</summary>
    public bool IsToken => _own is not null;

    /// <summary>
    /// The number that represents the caller in limits for each caller, such as rate limits. It is a hash with a key that the process chose
    /// at random, so that nobody can choose a name with another caller's number.
    /// </summary>
    internal int Number { get; }

    /// <summary>The ASP.NET Core principal that has these rights.</summary>
    internal ClaimsPrincipal Principal { get; }

    /// <summary>Returns the rights of a request's caller; null if the caller has no accepted credential.</summary>
    public static CallerRights? Get(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        // The code does not use `HttpContext.User`, which would create an empty user if the caller has no accepted credential.
        return context.Features.Get<IHttpAuthenticationFeature>()?.User?.Identity as CallerRights;
    }

    /// <summary>Returns the rights of an API key, which has its scopes for every directory key and user.</summary>
    public static CallerRights FromApiKey(ApiKeyEntry entry)
    {
        ArgumentNullException.ThrowIfNull(entry);
        return new CallerRights(entry.Name, entry.Scopes, own: null, user: null);
    }

    /// <summary>
    /// Returns the rights of a token, which has its scopes only for the keys and the user that it names. <see cref="Access.Tokens"/> says
    /// what an endpoint allows. If the token names no user, <paramref name="user"/> is null.
    /// </summary>
    public static CallerRights FromToken(string subject, ApiScopes scopes, IEnumerable<byte[]> keys, byte[]? user) =>
        new(subject, scopes, new HashSet<byte[]>(keys, new OctetsComparer()), user);

    /// <summary>Returns whether an endpoint with this access may answer the caller's requests about at least some keys or users.</summary>
    public bool Allows(Access access)
    {
        ArgumentNullException.ThrowIfNull(access);
        return Scopes.HasFlag(access.Scope) && (!IsToken || access.Tokens != TokenReach.Nothing);
    }

    /// <summary>Returns whether an endpoint with <see cref="TokenReach.OwnKeys"/> may answer the caller about this key.</summary>
    public bool Owns(ReadOnlySpan<byte> key) => _own is not { } own || own.Contains(key);

    /// <summary>Whether there is a user about whom an endpoint may answer the caller, if the endpoint answers a token only about the
    /// token's own user.</summary>
    public bool HasUser => !IsToken || _user is not null;

    /// <summary>Returns whether an endpoint may answer the caller about this user, if the endpoint answers a token only about the token's
    /// own user.</summary>
    /// <param name="user">The user's id.</param>
    public bool IsOwnUser(ReadOnlySpan<byte> user) => !IsToken || (_user is not null && user.SequenceEqual(_user));

    /// <summary>Returns the problem with which the service refuses a request about a key that the caller's token does not name.</summary>
    /// <param name="field">The path of the key within the request.</param>
    public static Problem NotOwn(string field) =>
        new(ProblemTypes.Forbidden, "The token does not name this key. No part of the request was carried out.", field);

    /// <summary>Returns the problem with which the service refuses a request about a key in an earlier period, because the key may have
    /// belonged to another user then.</summary>
    /// <param name="field">The path of the key within the request.</param>
    public static Problem NotOwnBefore(string field) => new(
        ProblemTypes.Forbidden,
        "The key became free after that period, when the user whose device it was left: that user asks POST /v1/users/monitor with a token. No part of the request was carried out.", field);

    /// <summary>Returns the problem with which the service refuses a request about a user whom the caller's token does not name.</summary>
    /// <param name="field">The path of the user's id within the request.</param>
    public static Problem NotOwnUser(string field) =>
        new(ProblemTypes.Forbidden, "The token does not name this user. No part of the request was carried out.", field);

    /// <summary>Returns the problem with which the service refuses a request with a token, because a part of the request needs an API
    /// key.</summary>
    /// <param name="field">The path of that part within the request.</param>
    public static Problem NotForTokens(string field) =>
        new(ProblemTypes.Forbidden, "This needs an API key; a token does not allow it. No part of the request was carried out.", field);

    private sealed class OctetsComparer : IEqualityComparer<byte[]>, IAlternateEqualityComparer<ReadOnlySpan<byte>, byte[]>
    {
        public bool Equals(byte[]? x, byte[]? y) => x.AsSpan().SequenceEqual(y);

        public bool Equals(ReadOnlySpan<byte> alternate, byte[] other) => alternate.SequenceEqual(other);

        public int GetHashCode(byte[] obj) => GetHashCode(obj.AsSpan());

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            HashCode hash = default;
            hash.AddBytes(alternate);
            return hash.ToHashCode();
        }

        public byte[] Create(ReadOnlySpan<byte> alternate) => alternate.ToArray();
    }
}
