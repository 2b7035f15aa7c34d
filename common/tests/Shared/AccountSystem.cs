using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Tests.Shared;

/// <summary>
/// Signs valid and invalid tokens, as an operator's account system does. The class does not use the product's code that makes tokens.
/// </summary>
internal sealed class AccountSystem : IDisposable
{
    public const string Audience = "log.example.org";

    private readonly byte[]? _seed;
    private readonly ECDsa? _ecdsa;

    private AccountSystem(string id, byte[]? seed, ECDsa? ecdsa)
    {
        (Id, _seed, _ecdsa) = (id, seed, ecdsa);
    }

    public string Id { get; }

    public string Algorithm => _seed is null ? "ES256" : "EdDSA";

    /// <summary>The bytes of the public key, which are the Ed25519 key or both coordinates of the P-256 key.</summary>
    public byte[] PublicKey => _seed is not null ? Ed25519.PublicKey(_seed) : [.. Point.X!, .. Point.Y!];

    /// <summary>The public key as an entry of a JWKS file.</summary>
    public JsonObject Jwk => _seed is not null
        ? new JsonObject { ["kty"] = "OKP", ["crv"] = "Ed25519", ["kid"] = Id, ["x"] = Base64UrlText.Encode(PublicKey) }
        : new JsonObject
        {
            ["kty"] = "EC",
            ["crv"] = "P-256",
            ["kid"] = Id,
            ["x"] = Base64UrlText.Encode(Point.X),
            ["y"] = Base64UrlText.Encode(Point.Y),
        };

    public JsonObject Header => new() { ["alg"] = Algorithm, ["kid"] = Id, ["typ"] = "JWT" };

    private ECPoint Point => _ecdsa!.ExportParameters(includePrivateParameters: false).Q;

    public static AccountSystem OfEd25519(string id) => new(id, RandomNumberGenerator.GetBytes(Ed25519.SeedLength), null);

    public static AccountSystem OfP256(string id) => new(id, null, ECDsa.Create(ECCurve.NamedCurves.nistP256));

    /// <summary>Returns the contents of a JWKS file with the public keys of these systems.</summary>
    public static string KeySet(params IEnumerable<AccountSystem> systems) =>
        new JsonObject { ["keys"] = new JsonArray([.. systems.Select(system => system.Jwk)]) }.ToJsonString();

    /// <summary>Returns the claims of a valid token, which is valid for ten minutes from <paramref name="now"/> on.</summary>
    public static JsonObject Claims(DateTimeOffset now, string scope, params IEnumerable<string> keys) => new()
    {
        ["aud"] = Audience,
        ["sub"] = "user 17",
        ["iat"] = now.ToUnixTimeSeconds(),
        ["exp"] = now.ToUnixTimeSeconds() + 600,
        ["scope"] = scope,
        ["keys"] = new JsonArray([.. keys.Select(key => (JsonNode)key)]),
    };

    /// <summary>Returns a token with these claims.</summary>
    public string Token(JsonObject claims) => Token(Header.ToJsonString(), claims.ToJsonString());

    /// <summary>Returns a signed token with exactly this header and this payload.</summary>
    public string Token(string header, string payload)
    {
        string signed = SigningInput(header, payload);
        return $"{signed}.{Base64UrlText.Encode(Sign(Encoding.ASCII.GetBytes(signed)))}";
    }

    /// <summary>Returns the first two parts of a token, which the signature covers.</summary>
    public static string SigningInput(string header, string payload) =>
        $"{Base64UrlText.Encode(Encoding.UTF8.GetBytes(header))}.{Base64UrlText.Encode(Encoding.UTF8.GetBytes(payload))}";

    public void Dispose() => _ecdsa?.Dispose();

    private byte[] Sign(byte[] octets) =>
        _seed is not null ? Ed25519.Sign(_seed, octets) : _ecdsa!.SignData(octets, HashAlgorithmName.SHA256);
}
