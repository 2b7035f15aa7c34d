using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Optiks.ApiKeys;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.Common.Tests;

/// <summary>
/// Tests which tokens the verifier accepts and refuses (docs/spec/tokens.md). Each refused token has exactly one fault.
/// </summary>
public sealed class TokenVerifierTests : IDisposable
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly TemporaryFolder _folder = new();
    private readonly Clock _clock = new();
    private readonly AccountSystem _ed25519 = AccountSystem.OfEd25519("ed-1");
    private readonly AccountSystem _p256 = AccountSystem.OfP256("ec-1");
    private readonly List<SecretsException> _problems = [];
    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();

    public TokenVerifierTests()
    {
        WriteKeys(_ed25519, _p256);
    }

    private string KeysFile => _folder["token-keys.json"];

    private JsonObject Claims => AccountSystem.Claims(_clock.GetUtcNow(), "update history", "alice", "älice");

    public void Dispose()
    {
        _services.Dispose();
        _p256.Dispose();
        _folder.Dispose();
    }

    [Theory]
    [InlineData("EdDSA")]
    [InlineData("ES256")]
    public async Task A_token_gives_its_scopes_for_its_keys(string algorithm)
    {
        JsonObject claims = Claims;
        claims["keys_b64"] = new JsonArray("AAEC");
        claims["user_b64"] = "AAEC";
        claims["iss"] = "https://accounts.example.org";
        claims["roles"] = new JsonObject { ["nested"] = new JsonArray(new JsonObject { ["deep"] = 1 }) };
        (CallerRights? rights, TokenRefusal? refusal) = await Verifier().VerifyAsync(Signer(algorithm).Token(claims));
        Assert.Null(refusal);
        Assert.Equal(("user 17", true, ApiScopes.Update | ApiScopes.History), (rights!.Name, rights.IsToken, rights.Scopes));
        Assert.True(rights.Owns("alice"u8));
        Assert.True(rights.Owns("älice"u8));
        Assert.True(rights.Owns([0, 1, 2]));
        Assert.False(rights.Owns("alic"u8));
        Assert.False(rights.Owns("bob"u8));
        Assert.False(rights.Owns("AAEC"u8));
        Assert.False(rights.Owns([]));
        Assert.True(rights.IsOwnUser([0, 1, 2]));
        Assert.False(rights.IsOwnUser("AAEC"u8));
        Assert.False(rights.IsOwnUser([0, 1]));
        Assert.False(rights.IsOwnUser([]));
        Assert.True(rights.Allows(Access.History));
        Assert.False(rights.Allows(Access.Lookup));
    }

    [Theory]
    [InlineData("lookup", ApiScopes.Lookup)]
    [InlineData("update history lookup", ApiScopes.Update | ApiScopes.History | ApiScopes.Lookup)]
    [InlineData("", ApiScopes.None)]
    [InlineData("openid email history", ApiScopes.History)]
    // The scopes in these cases exist only for API keys.
    [InlineData("snapshot", ApiScopes.None)]
    [InlineData("Update", ApiScopes.None)]
    [InlineData("update,history", ApiScopes.None)]
    public async Task Scopes_are_words_and_unknown_ones_give_nothing(string scope, ApiScopes expected)
    {
        (CallerRights? rights, _) = await Verifier().VerifyAsync(_ed25519.Token(AccountSystem.Claims(_clock.GetUtcNow(), scope)));
        Assert.Equal(expected, rights!.Scopes);
        Assert.False(rights.Allows(Access.Snapshot));
    }

    [Fact]
    public async Task A_token_for_a_user_alone_owns_no_key()
    {
        JsonObject claims = Claims;
        claims.Remove("keys");
        claims["user"] = "alice";
        (CallerRights? rights, _) = await Verifier().VerifyAsync(_ed25519.Token(claims));
        Assert.True(rights!.IsToken);
        Assert.False(rights.Owns("alice"u8));
        Assert.True(rights.HasUser && rights.IsOwnUser("alice"u8));
    }

    [Fact]
    public async Task A_token_for_keys_alone_is_about_no_user()
    {
        (CallerRights? rights, _) = await Verifier().VerifyAsync(_ed25519.Token(Claims));
        Assert.True(rights!.Owns("alice"u8));
        Assert.False(rights.HasUser || rights.IsOwnUser("alice"u8) || rights.IsOwnUser([]));
        CallerRights backend = CallerRights.FromApiKey(new ApiKeyEntry("backend", new byte[32], ApiScopes.Update));
        Assert.True(backend.HasUser && backend.IsOwnUser("alice"u8));
    }

    public static TheoryData<string, string, string?> WrongClaims => new()
    {
        { "token-audience", "aud", null },
        { "token-audience", "aud", "\"other.example.org\"" },
        { "token-audience", "aud", "\"log.example.org.evil\"" },
        { "token-audience", "aud", "\"LOG.example.org\"" },
        { "token-audience", "aud", "[\"a\", \"b\"]" },
        { "token-audience", "aud", $"\"{AccountSystem.Audience}/\"" },
        { "token-audience", "aud", $"[\"{AccountSystem.Audience}/\", \"{AccountSystem.Audience}//\"]" },
        { "token-audience", "aud", "[]" },
        { "token-audience", "aud", "\"\"" },
        { "token-claims", "sub", null },
        { "token-claims", "sub", "\"\"" },
        { "token-claims", "sub", "17" },
        { "token-claims", "sub", $"\"{new string('s', 256)}\"" },
        { "token-claims", "sub", "\"\\ud800\"" },
        { "token-claims", "scope", null },
        { "token-claims", "scope", "[\"update\"]" },
        { "token-claims", "iat", null },
        { "token-claims", "iat", "\"1700000000\"" },
        { "token-claims", "iat", "-1" },
        { "token-claims", "exp", null },
        { "token-claims", "exp", "null" },
        { "token-claims", "exp", "1e10" },
        { "token-claims", "exp", "1700000000.5" },
        { "token-claims", "exp", "9007199254740992" },
        { "token-claims", "exp", "99999999999999999999999999" },
        { "token-claims", "nbf", "\"now\"" },
        { "token-claims", "keys", "\"alice\"" },
        { "token-claims", "keys", "[1]" },
        { "token-claims", "keys", "[\"\"]" },
        { "token-claims", "keys", $"[\"{new string('k', 256)}\"]" },
        { "token-claims", "keys", $"[{string.Join(',', Enumerable.Repeat("\"k\"", 257))}]" },
        { "token-claims", "keys_b64", "[\"AAE=\"]" },
        { "token-claims", "keys_b64", $"[{string.Join(',', Enumerable.Repeat("\"aw\"", 255))}]" },
        { "token-claims", "user", "\"\"" },
        { "token-claims", "user_b64", "\"*\"" },
        { "token-lifetime", "exp", "9007199254740991" },
    };

    [Theory]
    [MemberData(nameof(WrongClaims))]
    public async Task A_claim_that_is_wrong_is_refused(string reason, string claim, string? json)
    {
        TokenVerifier verifier = Verifier();
        JsonObject claims = Claims;
        Assert.Null((await verifier.VerifyAsync(_ed25519.Token(claims))).Refusal);
        claims.Remove(claim);
        // The payload is made as text, because a `JsonNode` cannot hold some of the values.
        string payload = claims.ToJsonString();
        payload = json is null ? payload : $"{payload[..^1]},\"{claim}\":{json}}}";
        Assert.Equal(reason, await ReasonAsync(verifier, _ed25519.Token(_ed25519.Header.ToJsonString(), payload)));
    }

    [Fact]
    public async Task A_user_is_named_once()
    {
        JsonObject claims = Claims;
        claims["user"] = "alice";
        Assert.Null((await Verifier().VerifyAsync(_ed25519.Token(claims))).Refusal);
        claims["user_b64"] = "YWxpY2U";
        Assert.Equal("token-claims", await ReasonAsync(Verifier(), _ed25519.Token(claims)));
    }

    [Fact]
    public async Task One_audience_of_several_may_be_this_one()
    {
        JsonObject claims = Claims;
        claims["aud"] = new JsonArray("other.example.org", AccountSystem.Audience);
        Assert.Null((await Verifier().VerifyAsync(_ed25519.Token(claims))).Refusal);
    }

    [Theory]
    [InlineData("token-algorithm", """{"alg":"none","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"None","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"HS256","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"RS256","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"eddsa","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"Ed25519","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":1,"kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"kid":"ed-1"}""")]
    // Each key may be used with only one algorithm, so a token with the other algorithm is refused.
    [InlineData("token-algorithm", """{"alg":"ES256","kid":"ed-1"}""")]
    [InlineData("token-algorithm", """{"alg":"EdDSA","kid":"ec-1"}""")]
    [InlineData("token-header", """{"alg":"EdDSA"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":""}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":1}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"../../etc/passwd"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1' OR '1'='1"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1\u0000"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","crit":["exp"]}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","crit":[]}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","b64":false}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","zip":"DEF"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","jku":"https://evil.example/keys"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","jwk":{"kty":"OKP","crv":"Ed25519","x":"AA"}}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","x5c":["AA"]}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","typ":"id+jwt"}""")]
    [InlineData("token-header", """{"alg":"EdDSA","kid":"ed-1","typ":null}""")]
    [InlineData("token-key", """{"alg":"EdDSA","kid":"ed-2"}""")]
    [InlineData("token-key", """{"alg":"EdDSA","kid":"ED-1"}""")]
    [InlineData("token-key", """{"alg":"EdDSA","kid":".."}""")]
    [InlineData("token-malformed", """{"alg":"EdDSA","kid":"ed-1","kid":"ed-1"}""")]
    [InlineData("token-malformed", """{"alg":"none","\u0061lg":"EdDSA","kid":"ed-1"}""")]
    [InlineData("token-malformed", """["EdDSA"]""")]
    [InlineData("token-malformed", "")]
    [InlineData("token-malformed", """{"alg":"EdDSA","kid":"ed-1"} {}""")]
    [InlineData("token-malformed", """{"alg":"EdDSA","kid":"ed-1",/**/"typ":"JWT"}""")]
    public async Task A_header_that_is_wrong_is_refused(string reason, string header) =>
        Assert.Equal(reason, await ReasonAsync(Verifier(), _ed25519.Token(header, Claims.ToJsonString())));

    [Theory]
    [InlineData("""{"alg":"EdDSA","kid":"ed-1"}""")]
    [InlineData("""{"typ":"at+JWT","kid":"ed-1","alg":"EdDSA"}""")]
    public async Task A_header_may_have_a_type(string header) =>
        Assert.Null((await Verifier().VerifyAsync(_ed25519.Token(header, Claims.ToJsonString()))).Refusal);

    [Fact]
    public async Task What_is_not_signed_by_the_key_is_refused()
    {
        TokenVerifier verifier = Verifier();
        foreach (AccountSystem signer in (AccountSystem[])[_ed25519, _p256])
        {
            string good = signer.Token(Claims);
            Assert.Null((await verifier.VerifyAsync(good)).Refusal);
            string[] parts = good.Split('.');
            JsonObject other = Claims;
            other["keys"] = new JsonArray("bob");
            string payload = Base64UrlText.Encode(Encoding.UTF8.GetBytes(other.ToJsonString()));
            using AccountSystem stranger = signer == _ed25519 ? AccountSystem.OfEd25519(signer.Id) : AccountSystem.OfP256(signer.Id);
            foreach (string wrong in (string[])
            [
                $"{parts[0]}.{payload}.{parts[2]}",
                $"{parts[0]}.{parts[1]}.{Base64UrlText.Encode(new byte[64])}",
                $"{parts[0]}.{parts[1]}.{Base64UrlText.Encode(new byte[1])}",
                $"{parts[0]}.{parts[1]}.{Base64UrlText.Encode(new byte[65])}",
                $"{parts[0]}.{parts[1]}.{(parts[2][0] == 'A' ? 'B' : 'A')}{parts[2][1..]}",
                stranger.Token(Claims),
            ])
            {
                Assert.Equal("token-signature", await ReasonAsync(verifier, wrong));
            }
            // The attacker uses the public key, which everyone can know, as the secret key of a symmetric algorithm.
            foreach (byte[] secret in (byte[][])[signer.PublicKey, Encoding.UTF8.GetBytes(signer.Jwk.ToJsonString()),
                File.ReadAllBytes(KeysFile)])
            {
                string signed = AccountSystem.SigningInput($$"""{"alg":"HS256","kid":"{{signer.Id}}"}""", Claims.ToJsonString());
                Assert.Equal("token-algorithm",
                    await ReasonAsync(verifier,
                        $"{signed}.{Base64UrlText.Encode(HMACSHA256.HashData(secret, Encoding.ASCII.GetBytes(signed)))}"));
            }
            string unsigned = AccountSystem.SigningInput($$"""{"alg":"none","kid":"{{signer.Id}}"}""", Claims.ToJsonString());
            Assert.Equal("token-malformed", await ReasonAsync(verifier, $"{unsigned}."));
            Assert.Equal("token-algorithm", await ReasonAsync(verifier, $"{unsigned}.AA"));
        }
    }

    [Fact]
    public async Task What_has_not_the_form_of_a_token_is_refused()
    {
        TokenVerifier verifier = Verifier();
        string good = _ed25519.Token(Claims);
        Assert.Null((await verifier.VerifyAsync(good)).Refusal);
        string[] parts = good.Split('.');
        string nested = Nested(7);
        JsonObject deepest = Claims;
        deepest["more"] = JsonNode.Parse(nested);
        Assert.Null((await verifier.VerifyAsync(_ed25519.Token(deepest))).Refusal);
        string payload = Claims.ToJsonString();
        foreach (string wrong in (string[])
        [
            "", ".", "..", "...", "a", $"{parts[0]}.{parts[1]}", good + ".", good + ".AA", $"{good}=", $" {good}", good.Replace('.', ' '),
            $"{parts[0]}.{parts[1]}.",
            $".{parts[1]}.{parts[2]}", $"{parts[0]}..{parts[2]}", $"{parts[0]}=.{parts[1]}.{parts[2]}",
            $"{parts[0]}.{parts[1]}\n.{parts[2]}", new string('é', 5000), new string('.', 8192),
            // An encrypted token has five parts, and the verifier must refuse it.
            $"{parts[0]}.{parts[1]}.{parts[2]}.{parts[0]}.{parts[1]}",
            Signed($"{payload[..^1]},\"more\":{Nested(8)}}}"),
            Signed($"{payload[..^1]},\"more\":{Nested(3000)}}}"),
            Signed($"{payload[..^1]},\"exp\":1}}"),
            Signed($"{payload[..^1]},\"\\u0065xp\":1}}"),
            Signed($"{payload[..^1]},\"more\":{{\"a\":1,\"a\":1}}}}"),
            Signed($"{payload},"),
            Signed($"[{payload}]"),
            Signed(payload.Replace(':', ';')),
            Signed("null"),
            Signed(new string(' ', 7000)),
            NotUtf8(),
        ])
        {
            Assert.Equal("token-malformed", await ReasonAsync(verifier, wrong));
        }

        string Signed(string json) => _ed25519.Token(_ed25519.Header.ToJsonString(), json);
        string NotUtf8() => $"{parts[0]}.{Base64UrlText.Encode([.. "{\"a\":\""u8, 0xFF, .. "\"}"u8])}.{parts[2]}";
        static string Nested(int levels) => new string('[', levels) + new string(']', levels);
    }

    [Fact]
    public async Task A_token_may_have_8192_characters()
    {
        JsonObject claims = Claims;
        string token;
        int filler = 5600;
        do
        {
            claims["more"] = new string('m', filler++);
            token = _ed25519.Token(claims);
            Assert.Equal(token.Length > 8192 ? "token-malformed" : null, await ReasonAsync(Verifier(), token));
        }
        while (token.Length <= 8192);
        Assert.InRange(token.Length, 8193, 8194);
    }

    [Theory]
    // The arguments `iat`, `nbf` and `exp` are in seconds from now. The allowed clock skew is 60 seconds, and the longest lifetime is 3600
    // seconds.
    [InlineData(0, null, 600, null)]
    [InlineData(-600, null, -59, null)]
    [InlineData(-600, null, -60, "token-expired")]
    [InlineData(-600, null, -1000, "token-lifetime")]
    [InlineData(60, null, 600, null)]
    [InlineData(61, null, 600, "token-not-yet-valid")]
    [InlineData(0, 60, 600, null)]
    [InlineData(0, 61, 600, "token-not-yet-valid")]
    [InlineData(0, -100, 600, null)]
    [InlineData(0, null, 3600, null)]
    [InlineData(0, null, 3601, "token-lifetime")]
    [InlineData(-3000, null, 601, "token-lifetime")]
    [InlineData(0, null, 0, "token-lifetime")]
    [InlineData(1_000_000_000, null, 1_000_000_600, "token-not-yet-valid")]
    public async Task Times_hold_to_the_second(int issued, int? notBefore, int expires, string? reason)
    {
        long now = _clock.GetUtcNow().ToUnixTimeSeconds();
        JsonObject claims = Claims;
        claims["iat"] = now + issued;
        claims["exp"] = now + expires;
        if (notBefore is { } seconds)
        {
            claims["nbf"] = now + seconds;
        }
        TokenVerifier verifier = Verifier();
        Assert.Equal(reason, await ReasonAsync(verifier, _p256.Token(claims)));
        // The second check, in which the token is in the cache, gives the same result.
        Assert.Equal(reason, await ReasonAsync(verifier, _p256.Token(claims)));
    }

    [Fact]
    public async Task A_token_that_was_taken_expires()
    {
        TokenVerifier verifier = Verifier();
        string token = _ed25519.Token(Claims);
        Assert.Null(await ReasonAsync(verifier, token));
        _clock.Advance(TimeSpan.FromSeconds(659));
        Assert.Null(await ReasonAsync(verifier, token));
        _clock.Advance(s_second);
        Assert.Equal("token-expired", await ReasonAsync(verifier, token));
        _clock.Advance(-TimeSpan.FromSeconds(800));
        Assert.Equal("token-not-yet-valid", await ReasonAsync(verifier, token));
    }

    [Fact]
    public async Task A_token_is_checked_once_while_the_keys_stay()
    {
        TokenVerifier verifier = Verifier();
        string token = _ed25519.Token(Claims);
        CallerRights first = (await verifier.VerifyAsync(token)).Rights!;
        Assert.Same(first, (await verifier.VerifyAsync(token)).Rights);
        WriteKeys(_ed25519);
        _clock.Advance(s_second);
        Assert.NotSame(first, (await verifier.VerifyAsync(token)).Rights);
    }

    [Fact]
    public async Task A_key_that_is_taken_out_takes_its_tokens_along()
    {
        TokenVerifier verifier = Verifier();
        (string revoked, string kept) = (_ed25519.Token(Claims), _p256.Token(Claims));
        Assert.Null(await ReasonAsync(verifier, revoked));
        WriteKeys(_p256);
        _clock.Advance(s_second);
        Assert.Equal("token-key", await ReasonAsync(verifier, revoked));
        Assert.Null(await ReasonAsync(verifier, kept));
        // The file now has another key under the same id.
        using var other = AccountSystem.OfEd25519(_ed25519.Id);
        WriteKeys(other);
        _clock.Advance(s_second);
        Assert.Equal("token-signature", await ReasonAsync(verifier, revoked));
        Assert.Equal("token-key", await ReasonAsync(verifier, kept));
        Assert.Null(await ReasonAsync(verifier, other.Token(Claims)));
        Assert.Empty(_problems);
    }

    [Theory]
    [InlineData("{")]
    [InlineData(null)]
    public async Task A_file_that_is_broken_changes_nothing_and_says_so(string? contents)
    {
        TokenVerifier verifier = Verifier();
        string token = _ed25519.Token(Claims);
        Assert.Null(await ReasonAsync(verifier, token));
        Assert.False(verifier.HasStaleKeys);
        if (contents is null)
        {
            File.Delete(KeysFile);
        }
        else
        {
            File.WriteAllText(KeysFile, contents);
        }
        for (int i = 0; i < 3; i++)
        {
            _clock.Advance(s_second);
            Assert.Null(await ReasonAsync(verifier, token));
            Assert.True(verifier.HasStaleKeys);
        }
        Assert.Contains(KeysFile, Assert.Single(_problems).Message, StringComparison.Ordinal);
        Write("""{"keys": []}""");
        _clock.Advance(s_second);
        Assert.Equal("token-key", await ReasonAsync(verifier, token));
        Assert.False(verifier.HasStaleKeys);
        Assert.Single(_problems);
    }

    [Fact]
    public void A_missing_or_broken_file_ends_the_start()
    {
        Write("{");
        Assert.Throws<SecretsException>(Verifier);
        File.Delete(KeysFile);
        Assert.Throws<SecretsException>(Verifier);
        WriteKeys(_ed25519);
        Assert.True(Verifier().IsOn);
        File.SetUnixFileMode(KeysFile, AtomicFile.PublicMode | UnixFileMode.OtherWrite);
        Assert.Contains("chmod go-w", Assert.Throws<SecretsException>(Verifier).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_memory_of_verified_tokens_is_bounded()
    {
        var cache = new TokenCache(1000);
        var token = new VerifiedToken(CallerRights.FromToken("s", ApiScopes.None, [], user: null), 0, 0, 0);
        for (int i = 0; i < 100; i++)
        {
            cache.Add(new Digest((UInt128)i, 0), 100, token);
        }
        int[] kept = [.. Enumerable.Range(0, 100).Where(i => cache.TryGet(new Digest((UInt128)i, 0), out _))];
        Assert.InRange(kept.Length, 10, 20);
        Assert.Contains(99, kept);
    }

    private AccountSystem Signer(string algorithm) => algorithm == "EdDSA" ? _ed25519 : _p256;

    private void WriteKeys(params AccountSystem[] systems) => Write(AccountSystem.KeySet(systems));

    private void Write(string json) => AtomicFile.Write(KeysFile, Encoding.UTF8.GetBytes(json), AtomicFile.PublicMode);

    private TokenVerifier Verifier() => new(
        Microsoft.Extensions.Options.Options.Create(new TokenOptions { KeysFile = KeysFile, Audience = AccountSystem.Audience }),
        _clock,
        _services.GetRequiredService<System.Diagnostics.Metrics.IMeterFactory>(),
        _problems.Add);

    private static async Task<string?> ReasonAsync(TokenVerifier verifier, string token)
    {
        (CallerRights? rights, TokenRefusal? refusal) = await verifier.VerifyAsync(token);
        Assert.Equal(refusal is null, rights is not null);
        return refusal?.Name;
    }

    private sealed class Clock : TimeProvider
    {
        private readonly DateTimeOffset _start = System.GetUtcNow();
        private TimeSpan _elapsed;
        private TimeSpan _ticked;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public void Advance(TimeSpan time)
        {
            _elapsed += time;
            _ticked += time.Duration();
        }

        public override DateTimeOffset GetUtcNow() => _start + _elapsed;

        public override long GetTimestamp() => _ticked.Ticks;
    }
}
