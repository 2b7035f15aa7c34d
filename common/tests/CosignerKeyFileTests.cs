using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

public sealed class CosignerKeyFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string KeyPath => Path.Combine(_folder.Path, "key");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_new_key_is_its_owners_alone_and_cosigns()
    {
        VerifierKey made = CosignerKeyFile.Create(KeyPath, "größe.example/w");
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(KeyPath));

        using NoteSigner signer = CosignerKeyFile.Open(KeyPath);
        Assert.Equal(made, signer.Key);
        Assert.Equal(SignatureType.CosignatureV1, signer.Key.Type);
        byte[] body = new Checkpoint("a", 1, Rfc6962.EmptyRoot).Encode();
        NoteSignature signature = await Cosignature.SignAsync(body, 1, signer, CancellationToken.None);
        Assert.Equal(TlogError.None, Cosignature.Verify(Ed25519.Verifier, made, body, signature, out _));

        using NoteSigner ofText = CosignerKeyFile.Parse(File.ReadAllText(KeyPath), "THE_KEY");
        Assert.Equal(made, ofText.Key);

        byte[] before = File.ReadAllBytes(KeyPath);
        Assert.Throws<SecretsException>(() => CosignerKeyFile.Create(KeyPath, "other"));
        Assert.Equal(before, File.ReadAllBytes(KeyPath));
    }

    [Fact]
    public void Keys_of_other_programs_are_read()
    {
        using var keys = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "tlog", "keys.json")));
        JsonElement[] cosigners = [.. keys.RootElement.GetProperty("witnesses").EnumerateArray(), keys.RootElement.GetProperty("auditor")];
        Assert.True(cosigners.Length >= 3);
        foreach (JsonElement cosigner in cosigners)
        {
            Write(cosigner.GetProperty("skey").GetString()!);
            using NoteSigner signer = CosignerKeyFile.Open(KeyPath);
            Assert.Equal(cosigner.GetProperty("vkey").GetString(), signer.Key.ToString());
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("PRIVATE+KEY+")]
    [InlineData("PRIVATE+KEY+a+00000000+AQ==")]
    [InlineData("PRIVATE+KEY+a+00000000+ASAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/")]
    [InlineData("PRIVATE+KEY+witness-1.example/w+d37108ee+ASAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/")]
    [InlineData("PRIVATE+KEY+witness-1.example/w+d37108ed+AiAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/")]
    [InlineData("PRIVATE+KEY++d37108ed+ASAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/")]
    [InlineData("private+key+witness-1.example/w+d37108ed+ASAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/")]
    public void What_is_no_key_is_refused_without_a_word_of_it(string text)
    {
        Write(text);

        SecretsException refused = Assert.Throws<SecretsException>(() => CosignerKeyFile.Open(KeyPath));

        Assert.DoesNotContain("ISIjJCUm", refused.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("AhIiMk", refused.ToString(), StringComparison.Ordinal);
        Assert.StartsWith("THE_KEY", Assert.Throws<SecretsException>(() => CosignerKeyFile.Parse(text, "THE_KEY")).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_key_that_others_may_read_is_refused()
    {
        CosignerKeyFile.Create(KeyPath, "a");
        File.SetUnixFileMode(KeyPath, AtomicFile.PublicMode);
        Assert.Throws<SecretsException>(() => CosignerKeyFile.Open(KeyPath));
    }

    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("a+b")]
    public void A_name_that_is_none_makes_no_file(string name)
    {
        Assert.Throws<SecretsException>(() => CosignerKeyFile.Create(KeyPath, name));
        Assert.False(File.Exists(KeyPath));
    }

    private void Write(string skey) => AtomicFile.Write(KeyPath, Encoding.UTF8.GetBytes(skey + "\n"), AtomicFile.PrivateMode);
}
