using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text.Json;
using Microsoft.IdentityModel.Tokens;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tokens;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the account system's public keys from a JWKS file (docs/spec/tokens.md section 3), and the tokens that they are known to have
/// signed. Another file makes another set, which remembers no tokens. Any thread.
/// </summary>
internal sealed class TokenKeySet
{
    private const int MaxKeys = 64;
    private const int MaxDepth = 4;
    private const int CoordinateLength = 32;

    private static readonly string[] s_members = ["kty", "kid", "crv", "x", "y", "alg", "use", "key_ops"];
    private static readonly string[] s_privateMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"];
    private static readonly JsonDocumentOptions s_strict = new() { AllowDuplicateProperties = false, MaxDepth = MaxDepth };

    private readonly Dictionary<string, TokenKey> _keys = new(StringComparer.Ordinal);

    private TokenKeySet()
    {
    }

    /// <summary>The verified tokens of these keys.</summary>
    public TokenCache Verified { get; } = new();

    /// <summary>Parses the file strictly; its keys sign for one audience. Throws <see cref="SecretsException"/>.</summary>
    public static TokenKeySet Parse(ReadOnlyMemory<byte> json, string audience)
    {
        try
        {
            using var document = JsonDocument.Parse(json, s_strict);
            JsonElement root = document.RootElement;
            Require(root.ValueKind == JsonValueKind.Object && root.EnumerateObject().Count() == 1 && root.TryGetProperty("keys"u8, out _), "is an object with the one member keys");
            JsonElement keys = root.GetProperty("keys"u8);
            Require(keys.ValueKind == JsonValueKind.Array && keys.GetArrayLength() <= MaxKeys, $"has a list of at most {MaxKeys} keys");
            var set = new TokenKeySet();
            foreach (JsonElement element in keys.EnumerateArray())
            {
                TokenKey key = ParseKey(element, audience);
                Require(set._keys.TryAdd(key.Id, key), $"has no kid twice, as {key.Id} is");
            }
            return set;
        }
        catch (JsonException e)
        {
            throw new SecretsException($"The file of token keys is not JSON: {e.Message}", e);
        }
        catch (InvalidOperationException e)
        {
            throw new SecretsException("The file of token keys has a string that is no Unicode text.", e);
        }
    }

    /// <summary>Finds the key with an id.</summary>
    public bool TryFind(string id, [NotNullWhen(true)] out TokenKey? key) => _keys.TryGetValue(id, out key);

    private static TokenKey ParseKey(JsonElement element, string audience)
    {
        Require(element.ValueKind == JsonValueKind.Object, "has objects as keys");
        Require(
            !element.EnumerateObject().Any(member => s_privateMembers.Contains(member.Name)),
            "has no private keys: whoever could read the file can sign tokens now. Make a new pair, and put its public key alone here");
        string id = Text(element, "kid");
        Require(TokenNames.IsKeyId(id), "has as kid 1 to 64 letters, digits, '-', '.', '_' and '~'");
        (string type, string curve) = (Text(element, "kty"), Text(element, "crv"));
        string? algorithm = (type, curve) switch
        {
            ("OKP", "Ed25519") => TokenNames.EdDsa,
            ("EC", "P-256") => TokenNames.Es256,
            _ => null,
        };
        Require(algorithm is not null, $"has keys of type OKP with the curve Ed25519, or EC with P-256, and none like {id}");
        Require(
            element.EnumerateObject().All(member => s_members.Contains(member.Name)) && Is(element, "alg", algorithm) && Is(element, "use", "sig") && IsToVerify(element),
            $"has keys with nothing but {string.Join(", ", s_members)}, as {algorithm} to verify signatures; not so {id}");
        byte[] x = Coordinate(element, "x");
        if (algorithm == TokenNames.EdDsa)
        {
            Require(!element.TryGetProperty("y"u8, out _), $"has no y in keys of type OKP, as in {id}");
            return new TokenKey(id, algorithm, new Ed25519SecurityKey(x), audience);
        }
        byte[] y = Coordinate(element, "y");
        Require(IsPoint(x, y), $"has points of the curve as EC keys; not so {id}");
        return new TokenKey(id, algorithm, new JsonWebKey { Kty = type, Crv = curve, X = Base64UrlText.Encode(x), Y = Base64UrlText.Encode(y) }, audience);
    }

    private static string Text(JsonElement key, string member)
    {
        Require(key.TryGetProperty(member, out JsonElement value) && value.ValueKind == JsonValueKind.String, $"has keys with the member {member}, which is text");
        return value.GetString()!;
    }

    private static bool Is(JsonElement key, string member, string expected) =>
        !key.TryGetProperty(member, out JsonElement value) || (value.ValueKind == JsonValueKind.String && value.ValueEquals(expected));

    private static bool IsToVerify(JsonElement key) =>
        !key.TryGetProperty("key_ops"u8, out JsonElement uses)
        || (uses.ValueKind == JsonValueKind.Array && uses.GetArrayLength() == 1 && uses[0].ValueKind == JsonValueKind.String && uses[0].ValueEquals("verify"u8));

    private static byte[] Coordinate(JsonElement key, string member)
    {
        byte[]? octets = null;
        Require(Base64UrlText.TryDecode(Text(key, member), out octets) && octets.Length == CoordinateLength, $"has {CoordinateLength} octets in base64url as {member}");
        return octets;
    }

    private static bool IsPoint(byte[] x, byte[] y)
    {
        try
        {
            using var key = ECDsa.Create(new ECParameters { Curve = ECCurve.NamedCurves.nistP256, Q = new ECPoint { X = x, Y = y } });
            return true;
        }
        catch (CryptographicException)
        {
            return false;
        }
    }

    private static void Require([DoesNotReturnIf(false)] bool condition, string rule)
    {
        if (!condition)
        {
            throw new SecretsException($"A valid file of token keys {rule}.");
        }
    }
}
