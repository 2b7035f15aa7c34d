using System.Diagnostics.Metrics;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>
/// TokenVerifier judges tokens (docs/spec/tokens.md section 4). The signature of a token is checked once while the keys' file stays as it is, its times at each request. What is refused is forgotten: it costs one check of a
/// signature at most, and counts for the caller's address in rate limits. Any thread.
/// </summary>
internal sealed class TokenVerifier
{
    private readonly FollowedFile<TokenKeySet>? _keys;
    private readonly TimeProvider _time;
    private readonly long _maxLifetime;
    private readonly long _skew;
    private readonly Counter<long> _refused;

    /// <summary>TokenVerifier reads the file of keys. Throws <see cref="SecretsException"/> when it is invalid; <paramref name="onInvalid"/> is told when it becomes so later.</summary>
    public TokenVerifier(IOptions<TokenOptions> options, TimeProvider time, IMeterFactory meters, Action<SecretsException> onInvalid)
    {
        TokenOptions configured = options.Value;
        _time = time;
        _maxLifetime = (long)configured.MaxLifetime.TotalSeconds;
        _skew = (long)configured.ClockSkew.TotalSeconds;
        _refused = meters.Create("Optiks.Service").CreateCounter<long>("optiks.service.tokens.refused", "{request}", "Requests whose token was refused, by the reason.");
        if (configured.KeysFile.Length > 0)
        {
            _keys = new FollowedFile<TokenKeySet>(Path.GetFullPath(configured.KeysFile), octets => TokenKeySet.Parse(octets, configured.Audience), whenMissing: null, time, onInvalid);
        }
    }

    /// <summary>IsOn says whether tokens are taken at all.</summary>
    public bool IsOn => _keys is not null;

    /// <summary>HasStaleKeys says whether the file of keys is refused as it is now, so that older keys hold. Looks at the file once a second.</summary>
    public bool HasStaleKeys
    {
        get
        {
            _ = _keys?.Latest();
            return _keys is { IsInvalid: true };
        }
    }

    /// <summary>VerifyAsync gives what a token allows now, or why it is refused.</summary>
    public async ValueTask<(CallerRights? Rights, TokenRefusal? Refusal)> VerifyAsync(string token)
    {
        (VerifiedToken? verified, TokenRefusal? refusal) = await FindAsync(token);
        refusal ??= verified!.CheckTimes(_time.GetUtcNow().ToUnixTimeSeconds(), _maxLifetime, _skew);
        if (refusal is null)
        {
            return (verified!.Rights, null);
        }
        _refused.Add(1, new KeyValuePair<string, object?>("optiks.reason", refusal.Name));
        return (null, refusal);
    }

    private async ValueTask<(VerifiedToken? Token, TokenRefusal? Refusal)> FindAsync(string token)
    {
        if (token.Length > ProtocolLimits.MaxToken)
        {
            return (null, TokenRefusals.Malformed);
        }
        TokenKeySet keys = _keys!.Latest();
        var digest = Digest.Of(token);
        if (keys.Verified.TryGet(digest, out VerifiedToken? known))
        {
            return (known, null);
        }
        if (TokenForm.Read(token, out TokenRefusal? refusal) is not { } form)
        {
            return (null, refusal);
        }
        if (!keys.TryFind(form.KeyId, out TokenKey? key))
        {
            return (null, TokenRefusals.Key);
        }
        if (key.Algorithm != form.Algorithm)
        {
            return (null, TokenRefusals.Algorithm);
        }
        if (await key.CheckAsync(token) is { } wrong)
        {
            return (null, wrong);
        }
        if (VerifiedToken.Read(form.Payload) is not { } verified)
        {
            return (null, TokenRefusals.Claims);
        }
        keys.Verified.Add(digest, token.Length, verified);
        return (verified, null);
    }
}
