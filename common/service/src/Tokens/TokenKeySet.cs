using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;
using System.Text.Json;
using Microsoft.IdentityModel.Tokens;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tokens;

namespace Optiks.ServiceDefaults;

/// <summary>
/// Holds the account system's public keys from a JWKS file (docs/spec/tokens.md section 3), and remembers the tokens whose signatures by
/// these keys were verified. When the file changes, the service makes a new set, which remembers no tokens. Any thread may use a set.
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

    /// <summary>The cache of tokens that these keys signed and whose signatures were verified.</summary>
    public TokenCache Verified { get; } = new();

    /// <summary>
    /// Parses the file strictly. The keys accept only tokens for the given audience. Throws <see cref="SecretsException"/> if the file is
    /// invalid.
    /// </summary>
    public static TokenKeySet Parse(ReadOnlyMemory<byte> json, string audience)
    {
        try
        {
            using var document = JsonDocument.Parse(json, s_strict);
            JsonElement root = document.RootElement;
            Require(root.ValueKind == JsonValueKind.Object && root.EnumerateObject().Count() == 1 && root.TryGetProperty("keys"u8, out _),
                "is an object with the single member keys");
            JsonElement keys = root.GetProperty("keys"u8);
            Require(keys.ValueKind == JsonValueKind.Array && keys.GetArrayLength() <= MaxKeys, $"has a list of at most {MaxKeys} keys");
            var set = new TokenKeySet();
            foreach (JsonElement element in keys.EnumerateArray())
            {
                TokenKey key = ParseKey(element, audience);
                Require(set._keys.TryAdd(key.Id, key), $"has each kid once; {key.Id} is there twice");
            }
            return set;
        }
        catch (JsonException e)
        {
            throw new SecretsException($"The token key file is not JSON: {e.Message}", e);
        }
        catch (InvalidOperationException e)
        {
            throw new SecretsException("The token key file has a string that is not Unicode text.", e);
        }
    }

    /// <summary>Finds the key with this id.</summary>
    public bool TryFind(string id, [NotNullWhen(true)] out TokenKey? key) => _keys.TryGetValue(id, out key);

    private static TokenKey ParseKey(JsonElement element, string audience)
    {
        Require(element.ValueKind == JsonValueKind.Object, "has objects as keys");
        Require(
            !element.EnumerateObject().Any(member => s_privateMembers.Contains(member.Name)),
            "has no private keys: anyone who could read the file can now sign tokens. Make a new key pair, and put only its public key here");
        string id = Text(element, "kid");
        Require(TokenNames.IsKeyId(id), "has kids of 1 to 64 letters, digits, '-', '.', '_' and '~'");
        (string type, string curve) = (Text(element, "kty"), Text(element, "crv"));
        string? algorithm = (type, curve) switch
        {
            ("OKP", "Ed25519") => TokenNames.EdDsa,
            ("EC", "P-256") => TokenNames.Es256,
            _ => null,
        };
        Require(algorithm is not null, $"has keys of type OKP with the curve Ed25519, or of type EC with P-256; {id} is neither");
        Require(
            element.EnumerateObject().All(member => s_members.Contains(member.Name)) && Is(element, "alg", algorithm)
                && Is(element, "use", "sig") && IsToVerify(element),
            $"has keys whose only members are {string.Join(", ", s_members)}, which verify {algorithm} signatures; {id} is not such a key");
        byte[] x = Coordinate(element, "x");
        if (algorithm == TokenNames.EdDsa)
        {
            Require(!element.TryGetProperty("y"u8, out _), $"has no y in keys of type OKP; {id} has one");
            return new TokenKey(id, algorithm, new Ed25519SecurityKey(x), audience);
        }
        byte[] y = Coordinate(element, "y");
        Require(IsPoint(x, y), $"has EC keys that are points of the curve; {id} is not");
        return new TokenKey(id, algorithm,
            new JsonWebKey { Kty = type, Crv = curve, X = Base64UrlText.Encode(x), Y = Base64UrlText.Encode(y) }, audience);
    }

    private static string Text(JsonElement key, string member)
    {
        Require(key.TryGetProperty(member, out JsonElement value) && value.ValueKind == JsonValueKind.String,
            $"has keys with the text member {member}");
        return value.GetString()!;
    }

    private static bool Is(JsonElement key, string member, string expected) =>
        !key.TryGetProperty(member, out JsonElement value) || (value.ValueKind == JsonValueKind.String && value.ValueEquals(expected));

    private static bool IsToVerify(JsonElement key) =>
        !key.TryGetProperty("key_ops"u8, out JsonElement uses)
        || (uses.ValueKind == JsonValueKind.Array && uses.GetArrayLength() == 1 && uses[0].ValueKind == JsonValueKind.String
            && uses[0].ValueEquals("verify"u8));

    private static byte[] Coordinate(JsonElement key, string member)
    {
        byte[]? octets = null;
        Require(Base64UrlText.TryDecode(Text(key, member), out octets) && octets.Length == CoordinateLength,
            $"has {CoordinateLength} bytes in base64url as {member}");
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
            throw new SecretsException($"A valid token key file {rule}.");
        }
    }
}
