using System.Security.Cryptography;
using System.Text;
using System.Text.Json.Nodes;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Tests.Shared;

/// <summary>AccountSystem signs tokens as an operator's account system does, right ones and wrong ones: by hand, without what the product makes tokens with.</summary>
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

    /// <summary>PublicKey is the key's octets: Ed25519's, or both coordinates of P-256's.</summary>
    public byte[] PublicKey => _seed is not null ? Ed25519.PublicKey(_seed) : [.. Point.X!, .. Point.Y!];

    /// <summary>Jwk is the public key as a JWKS file has it.</summary>
    public JsonObject Jwk => _seed is not null
        ? new JsonObject { ["kty"] = "OKP", ["crv"] = "Ed25519", ["kid"] = Id, ["x"] = Base64UrlText.Encode(PublicKey) }
        : new JsonObject { ["kty"] = "EC", ["crv"] = "P-256", ["kid"] = Id, ["x"] = Base64UrlText.Encode(Point.X), ["y"] = Base64UrlText.Encode(Point.Y) };

    public JsonObject Header => new() { ["alg"] = Algorithm, ["kid"] = Id, ["typ"] = "JWT" };

    private ECPoint Point => _ecdsa!.ExportParameters(includePrivateParameters: false).Q;

    public static AccountSystem OfEd25519(string id) => new(id, RandomNumberGenerator.GetBytes(Ed25519.SeedLength), null);

    public static AccountSystem OfP256(string id) => new(id, null, ECDsa.Create(ECCurve.NamedCurves.nistP256));

    /// <summary>KeySet is a JWKS file.</summary>
    public static string KeySet(params IEnumerable<AccountSystem> systems) => new JsonObject { ["keys"] = new JsonArray([.. systems.Select(system => system.Jwk)]) }.ToJsonString();

    /// <summary>Claims of a right token, which holds for ten minutes from then on.</summary>
    public static JsonObject Claims(DateTimeOffset now, string scope, params IEnumerable<string> keys) => new()
    {
        ["aud"] = Audience,
        ["sub"] = "user 17",
        ["iat"] = now.ToUnixTimeSeconds(),
        ["exp"] = now.ToUnixTimeSeconds() + 600,
        ["scope"] = scope,
        ["keys"] = new JsonArray([.. keys.Select(key => (JsonNode)key)]),
    };

    /// <summary>Token of these claims.</summary>
    public string Token(JsonObject claims) => Token(Header.ToJsonString(), claims.ToJsonString());

    /// <summary>Token of a header and a payload as they are.</summary>
    public string Token(string header, string payload)
    {
        string signed = SigningInput(header, payload);
        return $"{signed}.{Base64UrlText.Encode(Sign(Encoding.ASCII.GetBytes(signed)))}";
    }

    /// <summary>SigningInput is the first two parts of a token.</summary>
    public static string SigningInput(string header, string payload) => $"{Base64UrlText.Encode(Encoding.UTF8.GetBytes(header))}.{Base64UrlText.Encode(Encoding.UTF8.GetBytes(payload))}";

    public void Dispose() => _ecdsa?.Dispose();

    private byte[] Sign(byte[] octets) => _seed is not null ? Ed25519.Sign(_seed, octets) : _ecdsa!.SignData(octets, HashAlgorithmName.SHA256);
}
