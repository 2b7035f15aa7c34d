using System.Diagnostics.Metrics;
using Microsoft.Extensions.Options;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Verifies tokens (docs/spec/tokens.md section 4). As long as the file of keys does not change, a token's signature is verified only once;
/// its times are checked at each request. The verifier does not remember refused tokens. A request with a refused token costs at most one
/// verification of a signature, and rate limits count it for the caller's address. Any thread may use the verifier.
/// </summary>
internal sealed class TokenVerifier
{
    private readonly FollowedFile<TokenKeySet>? _keys;
    private readonly TimeProvider _time;
    private readonly long _maxLifetime;
    private readonly long _skew;
    private readonly Counter<long> _refused;

    /// <summary>
    /// Reads the file of keys. Throws <see cref="SecretsException"/> if the file is invalid; calls <paramref name="onInvalid"/> if a later
    /// version of the file is invalid.
    /// </summary>
    public TokenVerifier(IOptions<TokenOptions> options, TimeProvider time, IMeterFactory meters, Action<SecretsException> onInvalid)
    {
        TokenOptions configured = options.Value;
        _time = time;
        _maxLifetime = (long)configured.MaxLifetime.TotalSeconds;
        _skew = (long)configured.ClockSkew.TotalSeconds;
        _refused = meters.Create("Optiks.Service")
            .CreateCounter<long>("optiks.service.tokens.refused", "{request}", "Requests whose token was refused, by the reason.");
        if (configured.KeysFile.Length > 0)
        {
            _keys = new FollowedFile<TokenKeySet>(Path.GetFullPath(configured.KeysFile),
                octets => TokenKeySet.Parse(octets, configured.Audience), whenMissing: null, time, onInvalid);
        }
    }

    /// <summary>Whether the service accepts tokens, which requires a configured file of keys.</summary>
    public bool IsOn => _keys is not null;

    /// <summary>
    /// Whether the current file of keys is invalid, so that the earlier keys stay in use. Checks the file at most once a second.
    /// </summary>
    public bool HasStaleKeys
    {
        get
        {
            _ = _keys?.Latest();
            return _keys is { IsInvalid: true };
        }
    }

    /// <summary>Returns a token's current rights, or the reason for its refusal.</summary>
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
        var digest = Digest.Compute(token);
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
