using System.Text;
using System.Text.Json.Nodes;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Tests.Shared;

namespace Optiks.Common.Tests;

/// <summary>Tests the file of token keys (docs/spec/tokens.md section 3), which is refused as a whole if it has one fault.</summary>
public sealed class TokenKeySetTests : IDisposable
{
    private const string P256X = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4";
    private const string P256Y = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM";

    private readonly AccountSystem _ed25519 = AccountSystem.OfEd25519("ed-1");
    private readonly AccountSystem _p256 = AccountSystem.OfP256("ec.1_~A-");

    public void Dispose() => _p256.Dispose();

    [Fact]
    public void Keys_of_both_kinds_are_found_by_their_id_alone()
    {
        JsonObject described = _ed25519.Jwk;
        described["kid"] = "ed-2";
        (described["alg"], described["use"], described["key_ops"]) = ("EdDSA", "sig", new JsonArray("verify"));
        TokenKeySet keys = Parse(new JsonObject { ["keys"] = new JsonArray(_ed25519.Jwk, _p256.Jwk, described) }.ToJsonString());
        Assert.True(keys.TryFind("ed-1", out TokenKey? key));
        Assert.Equal(("ed-1", "EdDSA"), (key.Id, key.Algorithm));
        Assert.True(keys.TryFind("ec.1_~A-", out key));
        Assert.Equal("ES256", key.Algorithm);
        Assert.True(keys.TryFind("ed-2", out _));
        Assert.False(keys.TryFind("ED-1", out _));
        Assert.False(keys.TryFind("", out _));
        Assert.False(Parse("""{"keys": []}""").TryFind("ed-1", out _));
    }

    [Theory]
    [InlineData("", "JSON")]
    [InlineData("[]", "member keys")]
    [InlineData("{}", "member keys")]
    [InlineData("""{"keys": {}}""", "list")]
    [InlineData("""{"keys": [ED], "more": 1}""", "member keys")]
    [InlineData("""{"keys": [], "keys": [ED]}""", "JSON")]
    [InlineData("""{"keys": ["a"]}""", "objects")]
    [InlineData("""{"keys": [ED, ED]}""", "each kid once")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","x":"X","kid":"a"}]}""", "32 bytes")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","kid":"a"}]}""", "member x")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}""", "member kid")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"../a"}]}""",
        "has kids of")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","kid":"b"}]}""", "JSON")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","y":"AA"}]}""", "no y")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","alg":"ES256"}]}""", "EdDSA")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","alg":"none"}]}""", "EdDSA")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","use":"enc"}]}""", "verify")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","key_ops":["sign"]}]}""",
        "verify")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","key_ops":["verify","sign"]}]}""", "verify")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a","x5u":"https://evil.example"}]}""", "whose only members are")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"X25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a"}]}""",
        "; a is neither")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed448","x":"AAAA","kid":"a"}]}""", "; a is neither")]
    [InlineData("""{"keys": [{"kty":"EC","crv":"P-384","x":"AAAA","y":"AAAA","kid":"a"}]}""", "; a is neither")]
    [InlineData("""{"keys": [{"kty":"EC","crv":"Ed25519","x":"AAAA","kid":"a"}]}""", "; a is neither")]
    [InlineData("""{"keys": [{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"a","alg":"RS256"}]}""", "member crv")]
    [InlineData("""{"keys": [{"kty":"RSA","crv":"","n":"AQAB","e":"AQAB","kid":"a","alg":"RS256"}]}""", "; a is neither")]
    [InlineData("""{"keys": [{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256"}]}""", "no private keys")]
    [InlineData(
        """{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","d":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","kid":"a"}]}""", "no private keys")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","\u0064":"AAAA","kid":"a"}]}""",
        "no private keys")]
    [InlineData("""{"keys": [{"kty":"OKP","crv":"Ed25519","x":"\ud800","kid":"a"}]}""", "Unicode")]
    public void A_file_with_a_fault_is_refused_whole(string template, string says)
    {
        Assert.True(Parse($$"""{"keys": [{{_ed25519.Jwk}}]}""").TryFind("ed-1", out _));
        string message = Refusal(template.Replace("ED", _ed25519.Jwk.ToJsonString(), StringComparison.Ordinal));
        Assert.Contains(says, message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(P256X, P256Y, true)]
    // The cases are the y coordinate of another point, a y coordinate with one changed bit, zeros, and coordinates that are not reduced.
    [InlineData(P256X, P256X, false)]
    [InlineData(P256X, "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyI", false)]
    [InlineData("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", false)]
    [InlineData("__________________________________________8", "__________________________________________8", false)]
    public void A_point_is_one_of_the_curve(string x, string y, bool isOne)
    {
        string json = $$"""{"keys": [{"kty":"EC","crv":"P-256","kid":"a","x":"{{x}}","y":"{{y}}"}]}""";
        if (isOne)
        {
            Assert.True(Parse(json).TryFind("a", out _));
        }
        else
        {
            Assert.Contains("points of the curve", Refusal(json), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void There_are_64_keys_at_most()
    {
        Assert.True(Parse(Many(64)).TryFind("key-63", out _));
        Assert.Contains("at most 64", Refusal(Many(65)), StringComparison.Ordinal);

        string Many(int count) => new JsonObject
        {
            ["keys"] = new JsonArray([.. Enumerable.Range(0, count).Select(i =>
            {
                JsonObject key = _ed25519.Jwk;
                key["kid"] = $"key-{i}";
                return (JsonNode)key;
            })]),
        }.ToJsonString();
    }

    /// <summary>Tests that the error about a refused file never quotes what may be a secret.</summary>
    [Fact]
    public void A_refused_private_key_is_not_repeated()
    {
        string secret = Base64UrlText.Encode("0123456789abcdef0123456789abcdef"u8);
        JsonObject key = _ed25519.Jwk;
        key["d"] = secret;
        Assert.DoesNotContain(secret, Refusal(new JsonObject { ["keys"] = new JsonArray(key) }.ToJsonString()), StringComparison.Ordinal);
    }

    private static TokenKeySet Parse(string json) => TokenKeySet.Parse(Encoding.UTF8.GetBytes(json), AccountSystem.Audience);

    private static string Refusal(string json) => Assert.Throws<SecretsException>(() => Parse(json)).Message;
}
