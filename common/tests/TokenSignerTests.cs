using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.IdentityModel.Tokens;
using Optiks.ApiKeys;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.ServiceDefaults;
using Optiks.Tokens;

namespace Optiks.Common.Tests;

/// <summary>Tests the token signer with the library with which services verify tokens, and with the examples in the RFCs.</summary>
public sealed class TokenSignerTests : IDisposable
{
    // The seed in the example of RFC 8037 appendix A.1.
    private const string Rfc8037Seed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A";
    private const string Rfc8037Public = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    private static readonly byte[] s_pkcs8Prefix = Convert.FromHexString("302e020100300506032b657004220420");

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void The_thumbprint_and_the_key_set_are_those_of_rfc_8037()
    {
        using TokenSigner signer = Read(Pem([.. s_pkcs8Prefix, .. Octets(Rfc8037Seed)]));
        Assert.Equal("EdDSA", signer.Algorithm);
        Assert.Equal("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", signer.KeyId);
        JsonObject key = JsonNode.Parse(signer.KeySet())!["keys"]!.AsArray().Single()!.AsObject();
        Assert.Equal(
            """{"kid":"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k","alg":"EdDSA","use":"sig","crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}""", key.ToJsonString());
        Assert.True(TokenKeySet.Parse(signer.KeySet(), "a").TryFind(signer.KeyId, out _));
    }

    /// <summary>Tests that the library verifies the example of RFC 8037 appendix A.4 with Optiks's provider for EdDSA.</summary>
    [Fact]
    public void The_signature_of_rfc_8037_is_one()
    {
        var key = new Ed25519SecurityKey(Octets(Rfc8037Public));
        Assert.True(key.CryptoProviderFactory.IsSupportedAlgorithm("EdDSA", key));
        Assert.False(key.CryptoProviderFactory.IsSupportedAlgorithm("ES256", key));
        Assert.False(key.CryptoProviderFactory.IsSupportedAlgorithm("HS256", key));
        SignatureProvider provider = key.CryptoProviderFactory.CreateForVerifying(key, "EdDSA");
        byte[] input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"u8.ToArray();
        byte[] signature = Octets("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
        Assert.True(provider.Verify(input, signature));
        Assert.True(provider.Verify([0, .. input, 0], 1, input.Length, [1, .. signature], 1, signature.Length));
        input[^1] ^= 1;
        Assert.False(provider.Verify(input, signature));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_signed_is_taken(bool ed25519)
    {
        using TokenSigner signer = Read(ed25519 ? Pem([.. s_pkcs8Prefix, .. Octets(Rfc8037Seed)]) : P256Pem());
        Assert.Equal(ed25519 ? "EdDSA" : "ES256", signer.Algorithm);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        var grant = new TokenGrant("log", "user 17", ApiScopes.Update | ApiScopes.History, now,
            TimeSpan.FromMinutes(5))
        { Keys = ["alice"u8.ToArray(), new byte[] { 0, 255 }], User = new byte[] { 1, 2 } };
        string token = signer.Sign(grant);
        Assert.True(TokenKeySet.Parse(signer.KeySet(), "log").TryFind(signer.KeyId, out TokenKey? key));
        Assert.Null(await key.CheckAsync(token));
        JsonElement claims = JsonDocument.Parse(Octets(token.Split('.')[1])).RootElement;
        Assert.Equal(
            $$"""{"aud":"log","sub":"user 17","scope":"update history","iat":{{now.ToUnixTimeSeconds()}},"exp":{{now.ToUnixTimeSeconds() + 300}},"keys":["alice"],"keys_b64":["AP8"],"user_b64":"AQI"}""", claims.GetRawText());
        VerifiedToken verified = VerifiedToken.Read(claims)!;
        Assert.True(verified.Rights.Owns("alice"u8) && verified.Rights.Owns([0, 255]));
        Assert.Equal(grant.Scopes, verified.Rights.Scopes);

        Assert.Equal("key-2", JsonNode.Parse(Octets(signer.Sign(grant, "key-2").Split('.')[0]))!["kid"]!.GetValue<string>());
    }

    [Fact]
    public void What_is_no_private_key_of_a_kind_that_is_taken_is_refused()
    {
        using var p384 = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        using var rsa = RSA.Create(2048);
        using var p256 = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        foreach (string wrong in (string[])
        [
            "", "secret", p384.ExportPkcs8PrivateKeyPem(), rsa.ExportPkcs8PrivateKeyPem(), p256.ExportSubjectPublicKeyInfoPem(),
            Pem([1, 2, 3]), Pem([.. s_pkcs8Prefix, .. new byte[31]]),
            Pem([.. p256.ExportPkcs8PrivateKey(), 0]),
            Pem([.. s_pkcs8Prefix, .. Octets(Rfc8037Seed)]).Replace("PRIVATE", "PUBLIC", StringComparison.Ordinal),
        ])
        {
            string message = Assert.Throws<SecretsException>(() => Read(wrong)).Message;
            Assert.Contains("openssl genpkey", message, StringComparison.Ordinal);
            Assert.True(wrong.Length < 6 || !message.Contains(wrong[..6], StringComparison.Ordinal));
        }
    }

    [Fact]
    public void A_key_that_others_can_open_is_refused()
    {
        string path = _folder["signer.pem"];
        AtomicFile.Write(path, Encoding.ASCII.GetBytes(P256Pem()), AtomicFile.PublicMode);
        Assert.Contains("chmod 600", Assert.Throws<SecretsException>(() => TokenSigner.ReadFile(path)).Message, StringComparison.Ordinal);
    }

    private static byte[] Octets(string text) =>
        Base64UrlText.TryDecode(text, out byte[]? octets) ? octets : throw new InvalidOperationException(text);

    private static string Pem(byte[] pkcs8) => PemEncoding.WriteString("PRIVATE KEY", pkcs8) + "\n";

    private static string P256Pem()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return key.ExportPkcs8PrivateKeyPem() + "\n";
    }

    private TokenSigner Read(string pem)
    {
        string path = _folder["signer.pem"];
        AtomicFile.Write(path, Encoding.ASCII.GetBytes(pem), AtomicFile.PrivateMode);
        return TokenSigner.ReadFile(path);
    }
}
