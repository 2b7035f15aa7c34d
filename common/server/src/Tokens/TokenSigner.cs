using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Optiks.ApiKeys;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Tokens;

/// <summary>
/// Signs tokens with a private key from a file, for trials and tests. In operation, the operator's account system signs the tokens, and
/// services have only public keys. Only one thread at a time may use a signer.
/// </summary>
public sealed class TokenSigner : IDisposable
{
    private const string PemLabel = "PRIVATE KEY";

    private readonly byte[]? _seed;
    private readonly ECDsa? _ecdsa;

    private TokenSigner(byte[] seed)
    {
        _seed = seed;
        PublicKey =
            Json(writer => WriteMembers(writer, ("crv", "Ed25519"), ("kty", "OKP"), ("x", Base64UrlText.Encode(Ed25519.PublicKey(seed)))));
        Algorithm = TokenNames.EdDsa;
        KeyId = Thumbprint();
    }

    private TokenSigner(ECDsa ecdsa)
    {
        _ecdsa = ecdsa;
        ECPoint point = ecdsa.ExportParameters(includePrivateParameters: false).Q;
        PublicKey =
            Json(writer => WriteMembers(
                writer, ("crv", "P-256"), ("kty", "EC"), ("x", Base64UrlText.Encode(point.X)), ("y", Base64UrlText.Encode(point.Y))));
        Algorithm = TokenNames.Es256;
        KeyId = Thumbprint();
    }

    /// <summary>The algorithm of the key: <c>EdDSA</c> or <c>ES256</c>.</summary>
    public string Algorithm { get; }

    /// <summary>The JWK thumbprint of the public key (RFC 7638).</summary>
    public string KeyId { get; }

    // The members of the public key's JWK from which the thumbprint is computed, in the order that the thumbprint requires (RFC 7638
    // section 3.2, RFC 8037 section 2).
    private byte[] PublicKey { get; }

    /// <summary>
    /// Reads a private key of Ed25519 or P-256 from a PEM file (PKCS #8) of mode 0600. Throws <see cref="SecretsException"/> if the file is
    /// missing or invalid.
    /// </summary>
    public static TokenSigner ReadFile(string path)
    {
        byte[] octets = SecretFile.Read(path);
        char[] pem = GC.AllocateUninitializedArray<char>(Encoding.UTF8.GetMaxCharCount(octets.Length), pinned: true);
        try
        {
            return Parse(pem.AsSpan(0, Encoding.UTF8.GetChars(octets, pem)))
                ?? throw new SecretsException(
                    $"{path} is not a private key of Ed25519 or P-256 in PEM (PKCS #8): make one with 'openssl genpkey -algorithm ed25519'.");
        }
        finally
        {
            CryptographicOperations.ZeroMemory(octets);
            Array.Clear(pem);
        }
    }

    /// <summary>Returns a JWKS with the public key, in the form that services read.</summary>
    public byte[] KeySet() =>
        Json(writer =>
        {
            writer.WriteStartArray("keys"u8);
            writer.WriteStartObject();
            WriteMembers(writer, ("kid", KeyId), ("alg", Algorithm), ("use", "sig"));
            using (var members = JsonDocument.Parse(PublicKey))
            {
                foreach (JsonProperty member in members.RootElement.EnumerateObject())
                {
                    member.WriteTo(writer);
                }
            }
            writer.WriteEndObject();
            writer.WriteEndArray();
        });

    /// <summary>Signs a token.</summary>
    /// <param name="grant">The contents of the token.</param>
    /// <param name="keyId">The token's <c>kid</c>; null selects <see cref="KeyId"/>.</param>
    public string Sign(TokenGrant grant, string? keyId = null)
    {
        ArgumentNullException.ThrowIfNull(grant);
        byte[] header = Json(writer => WriteMembers(writer, ("alg", Algorithm), ("typ", "JWT"), ("kid", keyId ?? KeyId)));
        string signed = $"{Base64UrlText.Encode(header)}.{Base64UrlText.Encode(Json(writer => WriteClaims(writer, grant)))}";
        byte[] octets = Encoding.ASCII.GetBytes(signed);
        byte[] signature = _seed is not null ? Ed25519.Sign(_seed, octets) : _ecdsa!.SignData(octets, HashAlgorithmName.SHA256);
        return $"{signed}.{Base64UrlText.Encode(signature)}";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_seed);
        _ecdsa?.Dispose();
    }

    private static TokenSigner? Parse(ReadOnlySpan<char> pem)
    {
        if (!PemEncoding.TryFind(pem, out PemFields fields) || !pem[fields.Label].SequenceEqual(PemLabel))
        {
            return null;
        }
        byte[] key = GC.AllocateUninitializedArray<byte>(fields.DecodedDataLength, pinned: true);
        ECDsa? ecdsa = null;
        try
        {
            if (!Convert.TryFromBase64Chars(pem[fields.Base64Data], key, out int length) || length != key.Length)
            {
                return null;
            }
            if (Ed25519Seed(key) is { } seed)
            {
                return new TokenSigner(seed);
            }
            ecdsa = ECDsa.Create();
            ecdsa.ImportPkcs8PrivateKey(key, out int read);
            if (read != key.Length
                || ecdsa.ExportParameters(includePrivateParameters: false).Curve.Oid.Value != ECCurve.NamedCurves.nistP256.Oid.Value)
            {
                return null;
            }
            var signer = new TokenSigner(ecdsa);
            ecdsa = null;
            return signer;
        }
        catch (CryptographicException)
        {
            return null;
        }
        finally
        {
            ecdsa?.Dispose();
            CryptographicOperations.ZeroMemory(key);
        }
    }

    // Returns the seed of an Ed25519 key, or null if the bytes are no such key. .NET cannot read these keys. In every key without
    // attributes, the bytes before the seed are the same (RFC 8410 section 7).
    private static byte[]? Ed25519Seed(ReadOnlySpan<byte> pkcs8)
    {
        ReadOnlySpan<byte> prefix = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
        if (pkcs8.Length != prefix.Length + Ed25519.SeedLength || !pkcs8.StartsWith(prefix))
        {
            return null;
        }
        byte[] seed = GC.AllocateUninitializedArray<byte>(Ed25519.SeedLength, pinned: true);
        pkcs8[prefix.Length..].CopyTo(seed);
        return seed;
    }

    private static void WriteClaims(Utf8JsonWriter writer, TokenGrant grant)
    {
        WriteMembers(writer, (TokenNames.Audience, grant.Audience), (TokenNames.Subject, grant.Subject),
            (TokenNames.Scope, string.Join(' ', ApiKeyFile.ScopeNames(grant.Scopes))));
        writer.WriteNumber(TokenNames.IssuedAt, grant.IssuedAt.ToUnixTimeSeconds());
        writer.WriteNumber(TokenNames.Expires, grant.Expires.ToUnixTimeSeconds());
        foreach ((string name, bool isText) in (ReadOnlySpan<(string, bool)>)[(TokenNames.Keys, true), (TokenNames.KeysOctets, false)])
        {
            ReadOnlyMemory<byte>[] keys = [.. grant.Keys.Where(key => DisplayText.IsText(key.Span) == isText)];
            if (keys.Length == 0)
            {
                continue;
            }
            writer.WriteStartArray(name);
            foreach (ReadOnlyMemory<byte> key in keys)
            {
                writer.WriteStringValue(isText ? Encoding.UTF8.GetString(key.Span) : Base64UrlText.Encode(key.Span));
            }
            writer.WriteEndArray();
        }
        if (grant.User is { } user)
        {
            writer.WriteString(TokenNames.UserOctets, Base64UrlText.Encode(user.Span));
        }
    }

    private static void WriteMembers(Utf8JsonWriter writer, params ReadOnlySpan<(string Name, string Text)> members)
    {
        foreach ((string name, string text) in members)
        {
            writer.WriteString(name, text);
        }
    }

    private static byte[] Json(Action<Utf8JsonWriter> write)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream))
        {
            writer.WriteStartObject();
            write(writer);
            writer.WriteEndObject();
        }
        return stream.ToArray();
    }

    private string Thumbprint() => Base64UrlText.Encode(SHA256.HashData(PublicKey));
}
