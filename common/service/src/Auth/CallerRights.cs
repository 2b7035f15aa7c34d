using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Optiks.ApiKeys;

namespace Optiks.ServiceDefaults;

/// <summary>CallerRights are whom the credential of a request names and what it allows: one kind of rights for API keys and tokens. Immutable, any thread.</summary>
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

    /// <summary>Name of the API key, or the token's subject.</summary>
    public override string Name => _name;

    /// <summary>Scopes that the credential has.</summary>
    public ApiScopes Scopes { get; }

    /// <summary>IsToken says that the credential was a token, and not an API key.</summary>
    public bool IsToken => _own is not null;

    /// <summary>Number stands for the caller where callers are counted. The hash is keyed by the process: nobody can choose to share another one's.</summary>
    internal int Number { get; }

    /// <summary>Principal with these rights.</summary>
    internal ClaimsPrincipal Principal { get; }

    /// <summary>Of a request's caller; null for one without a credential that is taken here.</summary>
    public static CallerRights? Of(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        // HttpContext.User would make an empty user for a caller who has none.
        return context.Features.Get<IHttpAuthenticationFeature>()?.User?.Identity as CallerRights;
    }

    /// <summary>OfApiKey: its scopes, for every key.</summary>
    public static CallerRights OfApiKey(ApiKeyEntry entry)
    {
        ArgumentNullException.ThrowIfNull(entry);
        return new CallerRights(entry.Name, entry.Scopes, own: null, user: null);
    }

    /// <summary>OfToken: its scopes, as far as <see cref="Access.Tokens"/> says for these keys and this user; null: it names no user.</summary>
    public static CallerRights OfToken(string subject, ApiScopes scopes, IEnumerable<byte[]> keys, byte[]? user) =>
        new(subject, scopes, new HashSet<byte[]>(keys, new OctetsComparer()), user);

    /// <summary>Allows says whether an endpoint that asks for this answers the caller, about some item at least.</summary>
    public bool Allows(Access access)
    {
        ArgumentNullException.ThrowIfNull(access);
        return Scopes.HasFlag(access.Scope) && (!IsToken || access.Tokens != TokenReach.Nothing);
    }

    /// <summary>Owns says whether the caller may be answered about a key where <see cref="TokenReach.OwnKeys"/> holds.</summary>
    public bool Owns(ReadOnlySpan<byte> key) => _own is not { } own || own.Contains(key);

    /// <summary>HasUser: the caller may be answered about some user where its own alone counts.</summary>
    public bool HasUser => !IsToken || _user is not null;

    /// <summary>IsOwnUser says whether the caller may be answered about a user where its own alone counts.</summary>
    /// <param name="user">The user's id.</param>
    public bool IsOwnUser(ReadOnlySpan<byte> user) => !IsToken || (_user is not null && user.SequenceEqual(_user));

    /// <summary>NotOwn is the answer to a request about a key that the caller does not own.</summary>
    /// <param name="field">Where in the request the key stands.</param>
    public static Problem NotOwn(string field) => new(ProblemTypes.Forbidden, "The token does not name this key. Nothing of the request was done.", field);

    /// <summary>NotOwnBefore is the answer to a request about a key in a period before it came free.</summary>
    /// <param name="field">Where in the request the key stands.</param>
    public static Problem NotOwnBefore(string field) => new(
        ProblemTypes.Forbidden, "Since that period the key came free with the user whose device it was: with a token that user asks POST /v1/users/monitor. Nothing of the request was done.", field);

    /// <summary>NotOwnUser is the answer to a request about a user who is not the caller's own.</summary>
    /// <param name="field">Where in the request the user stands.</param>
    public static Problem NotOwnUser(string field) => new(ProblemTypes.Forbidden, "The token does not name this user. Nothing of the request was done.", field);

    /// <summary>NotForTokens is the answer to a part of a request that needs an API key.</summary>
    /// <param name="field">Where in the request it stands.</param>
    public static Problem NotForTokens(string field) => new(ProblemTypes.Forbidden, "This needs an API key; a token does not allow it. Nothing of the request was done.", field);

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
