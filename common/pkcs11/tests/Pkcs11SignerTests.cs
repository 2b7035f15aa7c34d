using Net.Pkcs11Interop.Common;
using Net.Pkcs11Interop.HighLevelAPI;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11.Tests;

/// <summary>
/// Tests keys in a token of a real PKCS#11 library. The tests run one at a time, because the library has one state for the whole process.
/// </summary>
[Collection(nameof(SoftToken))]
public sealed class Pkcs11SignerTests : IDisposable
{
    private const string Name = "token.example/key";

    private static readonly byte[] s_message = [.. "a message"u8];

    private readonly SoftToken _token = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _token.Dispose();

    [Fact]
    public async Task A_key_that_was_made_in_the_token_signs_as_RFC_8032_says()
    {
        using var made = Pkcs11Signer.OpenOrGenerate(_token.Parsed(), Name, SignatureType.Ed25519);
        byte[] signature = await made.SignAsync(s_message, Cancel);
        Assert.True(Ed25519.Verify(made.Key.PublicKey, s_message, signature));
        Assert.Equal(signature, await made.SignAsync(s_message, Cancel));
        // The existing key is found, so no second key is made. The signer also finds the key by its public key and by its id.
        using var again = Pkcs11Signer.OpenOrGenerate(_token.Parsed(), Name, SignatureType.Ed25519);
        Assert.Equal(made.Key, again.Key);
        string id = "";
        _token.Use((factories, session) =>
        {
            IObjectHandle key = Assert.Single(
                session.FindAllObjects([factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, CKO.CKO_PRIVATE_KEY)]));
            List<IObjectAttribute> said = session.GetAttributeValue(key, [CKA.CKA_EXTRACTABLE, CKA.CKA_SENSITIVE, CKA.CKA_ID]);
            Assert.Equal((false, true), (said[0].GetValueAsBool(), said[1].GetValueAsBool()));
            id = string.Concat(said[2].GetValueAsByteArray().Select(octet => $"%{octet:x2}"));
        });
        using var byId = Pkcs11Signer.Open(_token.Parsed(more: $";id={id}"), made.Key);
        Assert.Equal(signature, await byId.SignAsync(s_message, Cancel));
        using var existing = Pkcs11Signer.OpenExisting(_token.Parsed(), Name, SignatureType.Ed25519);
        Assert.Equal(signature, await existing.SignAsync(s_message, Cancel));
        Assert.DoesNotContain(SoftToken.Pin, existing.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lost_session_is_opened_again_and_a_token_that_is_gone_is_waited_for()
    {
        using var signer = Pkcs11Signer.OpenOrGenerate(_token.Parsed(), Name, SignatureType.Ed25519);
        byte[] signature = await signer.SignAsync(s_message, Cancel);
        _token.Lose(away: false);
        Assert.Equal(signature, await signer.SignAsync(s_message, Cancel));

        _token.Lose(away: true);
        SignerUnavailableException gone =
            await Assert.ThrowsAsync<SignerUnavailableException>(async () => await signer.SignAsync(s_message, Cancel));
        Assert.Contains("there is no such token", gone.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<SignerUnavailableException>(async () => await signer.SignAsync(s_message, Cancel));
        _token.Return();
        Assert.Equal(signature, await signer.SignAsync(s_message, Cancel));
    }

    [Fact]
    public async Task A_PIN_that_is_refused_is_tried_once()
    {
        using var signer = Pkcs11Signer.OpenOrGenerate(_token.Parsed(), Name, SignatureType.Ed25519);
        _token.WritePin("1234");
        // The sessions must end first, because the library does not check a PIN while a session of the process is logged in.
        _token.Lose(away: false);
        SecretsException refused = Assert.Throws<SecretsException>(() => Pkcs11Signer.Open(_token.Parsed(), signer.Key).Dispose());
        Assert.Contains("refused the PIN", refused.Message, StringComparison.Ordinal);
        Assert.Contains(_token.PinFile, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("1234", $"{refused}", StringComparison.Ordinal);

        // Now the PIN changes, as if an operator changed it while the program runs.
        _token.Lose(away: false);
        Assert.Contains("was tried once",
            (await Assert.ThrowsAsync<SignerUnavailableException>(async () => await signer.SignAsync(s_message, Cancel))).Message,
            StringComparison.Ordinal);
        for (int i = 0; i < 20; i++)
        {
            Assert.Contains("will not be tried again",
                (await Assert.ThrowsAsync<SignerUnavailableException>(async () => await signer.SignAsync(s_message, Cancel))).Message,
                StringComparison.Ordinal);
        }
        _token.WritePin(SoftToken.Pin);
        byte[] signature = await signer.SignAsync(s_message, Cancel);
        Assert.True(Ed25519.Verify(signer.Key.PublicKey, s_message, signature));

        File.SetUnixFileMode(_token.PinFile, UnixFileMode.UserRead | UnixFileMode.OtherRead);
        Assert.Contains("chmod 600",
            Assert.Throws<SecretsException>(() => Pkcs11Signer.Open(_token.Parsed(), signer.Key).Dispose()).Message,
            StringComparison.Ordinal);
        File.WriteAllText(_token.PinFile, "");
        File.SetUnixFileMode(_token.PinFile, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        Assert.Contains("is empty", Assert.Throws<SecretsException>(() => Pkcs11Signer.Open(_token.Parsed(), signer.Key).Dispose()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_not_the_key_is_refused_with_what_to_do()
    {
        using var made = Pkcs11Signer.OpenOrGenerate(_token.Parsed(), Name, SignatureType.Ed25519);
        using var other = Pkcs11Signer.OpenOrGenerate(_token.Parsed("other"), Name, SignatureType.Ed25519);
        Assert.NotEqual(made.Key, other.Key);
        AssertRefused("no such private key", _token.Uri("nobody"), made.Key);
        AssertRefused($"is not the key of {made.Key}", _token.Uri("other"), made.Key);
        AssertRefused("cannot be loaded", _token.Uri().Replace(SoftToken.Module, "/nowhere.so", StringComparison.Ordinal), made.Key);
        AssertRefused("is missing", _token.Uri().Replace(_token.PinFile, _token.PinFile + "s", StringComparison.Ordinal), made.Key);
        SignerUnavailableException absent = Assert.Throws<SignerUnavailableException>(
            () => Open(_token.Uri().Replace("token=optiks", "token=another", StringComparison.Ordinal), made.Key));
        Assert.Contains("there is no such token", absent.Message, StringComparison.Ordinal);

        _token.Use((factories, session) =>
        {
            IObjectAttribute Of(CKA name, bool value) => factories.ObjectAttributeFactory.Create(name, value);
            IObjectAttribute label = factories.ObjectAttributeFactory.Create(CKA.CKA_LABEL, "p256");
            using IMechanism mechanism = factories.MechanismFactory.Create(CKM.CKM_EC_KEY_PAIR_GEN);
            session.GenerateKeyPair(
                mechanism,
                [Of(CKA.CKA_TOKEN, true), label,
                    factories.ObjectAttributeFactory.Create(
                        CKA.CKA_EC_PARAMS, [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07])],
                [Of(CKA.CKA_TOKEN, true), Of(CKA.CKA_PRIVATE, true), label], out _, out _);
        });
        AssertRefused("has type CKK_EC; Ed25519", _token.Uri("p256"), made.Key);
        Assert.Throws<SecretsException>(() => Pkcs11Signer.OpenOrGenerate(_token.Parsed("p256"), Name, SignatureType.Ed25519).Dispose());

        // If two keys in the token have the same label, the signer refuses to choose one of them.
        Pkcs11Signer.OpenOrGenerate(_token.Parsed("twice", ";id=%01"), Name, SignatureType.Ed25519).Dispose();
        using var second = Pkcs11Signer.OpenOrGenerate(_token.Parsed("twice", ";id=%02"), Name, SignatureType.Ed25519);
        AssertRefused("give the id", _token.Uri("twice"), second.Key);
        Open(_token.Uri("twice", ";id=%02"), second.Key);
    }

    [Fact]
    public async Task A_cosigners_key_is_named_by_its_file()
    {
        string path = Path.Combine(_token.Folder, "auditor.key");
        VerifierKey made = CosignerKey.Create(path, Name, _token.Uri());
        Assert.Equal(SignatureType.CosignatureV1, made.Type);
        Assert.Equal($"{made}\n{_token.Uri()}\n", File.ReadAllText(path));
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(path));
        byte[] text = new Checkpoint("log.example/a", 1, Rfc6962.LeafHash("x"u8)).Encode();
        using (INoteSigner signer = CosignerKey.Open(path))
        {
            NoteSignature line = await Cosignature.SignAsync(text, 17, signer, Cancel);
            Assert.Equal(TlogError.None, Cosignature.Verify(Ed25519.Verifier, made, text, line, out ulong time));
            Assert.Equal(17UL, time);
        }
        Assert.Contains("never overwritten", Assert.Throws<SecretsException>(() => CosignerKey.Create(path, Name, _token.Uri())).Message,
            StringComparison.Ordinal);
        Assert.Contains("contain a space",
            Assert.Throws<SecretsException>(() => CosignerKey.Create(path + "2", "a b", _token.Uri())).Message, StringComparison.Ordinal);
        var asLog = new VerifierKey(Name, SignatureType.Ed25519, made.PublicKey);
        Assert.Contains("not a cosigner's public key",
            Assert.Throws<SecretsException>(() => CosignerKey.Parse($"{asLog}\n{_token.Uri()}\n", "KEY")).Message,
            StringComparison.Ordinal);
        Assert.Contains("names no token",
            Assert.Throws<SecretsException>(() => CosignerKey.Parse($"{made}\npkcs11:object=x\n", "KEY")).Message,
            StringComparison.Ordinal);
        // A cosigner's file may still contain the key itself instead of a URI.
        VerifierKey inFile = CosignerKeyFile.Create(path + "3", Name);
        using INoteSigner ofFile = CosignerKey.Open(path + "3");
        Assert.Equal(inFile, ofFile.Key);
    }

    [Fact]
    public async Task A_logs_key_is_in_the_token_alone()
    {
        var data = new DataFolder(Path.Combine(_token.Folder, "data"));
        data.EnsureCreated();
        TrustAnchor anchor;
        using (ISecretSource secrets = LogSecretSource.Create(data, KeyRing.LoadOrCreate(data), _token.Parsed()))
        {
            (TrustAnchor created, INoteSigner signer) = secrets.CreateLog(new Configuration { Origin = "log.example/a" });
            using (signer)
            {
                anchor = created;
                Assert.Equal(anchor.LogKey, signer.Key);
            }
        }
        Assert.False(File.Exists(data.LogKey));
        Assert.Equal(anchor.LogKey, TrustAnchor.Load(data.TrustAnchor).LogKey);
        using (ISecretSource secrets = LogSecretSource.Create(data, KeyRing.Load(data), _token.Parsed()))
        using (INoteSigner signer = secrets.OpenLogSigner(anchor))
        {
            SignedNote note = await SignedNote.SignAsync("text\n"u8.ToArray(), signer, Cancel);
            Assert.True(Ed25519.Verify(anchor.LogKey.PublicKey, note.Text.Span, note.Signatures[0].Signature.Span));
        }
        File.WriteAllText(data.LogKey, "");
        Assert.Contains("two places",
            Assert.Throws<SecretsException>(() => LogSecretSource.Create(data, KeyRing.Load(data), _token.Parsed())).Message,
            StringComparison.Ordinal);
        Assert.Null(LogSecretSource.FindUri(""));
        Assert.Contains(LogSecretSource.Setting, Assert.Throws<SecretsException>(() => LogSecretSource.FindUri("pkcs11:")).Message,
            StringComparison.Ordinal);
    }

    private static void Open(string uri, VerifierKey key)
    {
        Assert.True(Pkcs11Uri.TryParse(uri, out Pkcs11Uri? parsed, out string? problem), problem);
        Pkcs11Signer.Open(parsed, key).Dispose();
    }

    private static void AssertRefused(string says, string uri, VerifierKey key)
    {
        string said = Assert.Throws<SecretsException>(() => Open(uri, key)).Message;
        Assert.True(said.Contains(says, StringComparison.Ordinal), said);
    }
}
