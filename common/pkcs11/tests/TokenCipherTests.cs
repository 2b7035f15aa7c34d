using System.Security.Cryptography;
using Net.Pkcs11Interop.Common;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Pkcs11.Tests;

/// <summary>Tests a key-encryption key in a token of a real PKCS#11 library.</summary>
[Collection(nameof(SoftToken))]
public sealed class TokenCipherTests : IDisposable
{
    private const string Purpose = SecretPurpose.LogKey;

    private static readonly byte[] s_logId = RandomNumberGenerator.GetBytes(32);
    private readonly SoftToken _token = new();
    private readonly DataFolder _data;

    public TokenCipherTests() => _data = new DataFolder(Path.Combine(_token.Folder, "data")).EnsureCreated();

    public void Dispose() => _token.Dispose();

    [Fact]
    public void A_ring_wraps_by_a_key_that_never_leaves_the_token()
    {
        TokenCipher.OpenOrGenerate(_token.Uri("kek")).Dispose();
        // The key already exists, so this call does not make a second key.
        TokenCipher.OpenOrGenerate(_token.Uri("kek")).Dispose();
        KeyRing ring = Write(_token.Uri("kek"));
        byte[] secret = RandomNumberGenerator.GetBytes(256);
        byte[] wrapped = ring.Wrap(secret, Purpose, s_logId);
        Assert.Equal(secret, ring.Unwrap(wrapped, Purpose, s_logId));
        Assert.Throws<SecretsException>(() => ring.Unwrap(wrapped, SecretPurpose.PeriodSecrets(0), s_logId));
        for (int i = 0; i < wrapped.Length; i += 19)
        {
            byte[] changed = [.. wrapped];
            changed[i] ^= 1;
            Assert.Throws<SecretsException>(() => ring.Unwrap(changed, Purpose, s_logId));
        }
        _token.Use((factories, session) =>
        {
            var found = session.FindAllObjects([factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, CKO.CKO_SECRET_KEY)]);
            Assert.True(session.GetAttributeValue(Assert.Single(found), [CKA.CKA_VALUE])[0].CannotBeRead);
            Assert.False(session.GetAttributeValue(found[0], [CKA.CKA_EXTRACTABLE])[0].GetValueAsBool());
        });
    }

    [Fact]
    public void A_key_that_was_imported_opens_what_it_wrapped_in_a_file()
    {
        byte[] key = RandomNumberGenerator.GetBytes(32);
        KeyRing before = Write(Base64UrlText.Encode(key));
        byte[] wrapped = before.Wrap([7, 8], Purpose, s_logId);
        Import("kek", key);
        KeyRing after = Write(_token.Uri("kek", ";type=secret-key"));
        Assert.Equal<byte>([7, 8], after.Unwrap(wrapped, Purpose, s_logId));
        using OpenedRing opened = after.Open();
        Assert.True(KeyId.TryRead(wrapped, out KeyId id));
        Assert.Equal(id, Assert.Single(opened.Keys).Id);
    }

    [Fact]
    public void What_an_operator_has_to_mend_is_said()
    {
        void Refuses(string uri, string sentence) =>
            Assert.Contains(sentence, Assert.Throws<SecretsException>(() => Write(uri).Wrap([7], Purpose, s_logId)).Message,
                StringComparison.Ordinal);

        Refuses(_token.Uri("none"), "no such secret key");
        Refuses(_token.Uri("none", ";type=private"), "its type is not 'secret-key'");
        Refuses("pkcs11:object=x", "names no token");
        Import("short", RandomNumberGenerator.GetBytes(16));
        Refuses(_token.Uri("short"), "not an AES-256 key");
        Import("twice", RandomNumberGenerator.GetBytes(32));
        Import("twice", RandomNumberGenerator.GetBytes(32));
        Refuses(_token.Uri("twice"), "2 such secret keys");
        Refuses(_token.Uri("kek").Replace(SoftToken.Module, "/nonexistent.so", StringComparison.Ordinal), "cannot be loaded");

        Import("kek", RandomNumberGenerator.GetBytes(32));
        _token.WritePin("wrong-pin");
        Refuses(_token.Uri("kek"), "refused the PIN");
        // Another ring of the process does not try the refused PIN again, so that the token does not lock itself.
        Assert.Contains("not be tried again",
            Assert.Throws<SignerUnavailableException>(() => Write(_token.Uri("kek")).Wrap([7], Purpose, s_logId)).Message,
            StringComparison.Ordinal);
        _token.WritePin(SoftToken.Pin);
        File.SetLastWriteTimeUtc(_token.PinFile, TimeProvider.System.GetUtcNow().UtcDateTime.AddSeconds(5));
        _ = Write(_token.Uri("kek")).Wrap([7], Purpose, s_logId);
    }

    [Fact]
    public void A_token_that_is_away_is_waited_for()
    {
        TokenCipher.OpenOrGenerate(_token.Uri("kek")).Dispose();
        KeyRing ring = Write(_token.Uri("kek"));
        byte[] wrapped = ring.Wrap([7], Purpose, s_logId);
        _token.Lose(away: true);
        Assert.Throws<SignerUnavailableException>(() => ring.Unwrap(wrapped, Purpose, s_logId));
        // Loading a ring does not need the token, because tokens are opened at their first use.
        _ = KeyRings.Load(_data, null);
        _token.Return();
        Assert.Equal<byte>([7], ring.Unwrap(wrapped, Purpose, s_logId));
    }

    [Fact]
    public async Task Use_of_one_key_does_not_end_the_session_of_another()
    {
        TokenCipher.OpenOrGenerate(_token.Uri("kek")).Dispose();
        using var signer = Pkcs11Signer.OpenOrGenerate(_token.Parsed("log"), "log.example/a", SignatureType.Ed25519);
        KeyRing ring = Write(_token.Uri("kek"));
        Task signing = Task.Run(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                _ = await signer.SignAsync(new byte[] { (byte)i }, TestContext.Current.CancellationToken);
            }
        }, TestContext.Current.CancellationToken);
        for (int i = 0; i < 20; i++)
        {
            byte[] wrapped = ring.Wrap([7], Purpose, s_logId);
            Assert.Equal<byte>([7], ring.Unwrap(wrapped, Purpose, s_logId));
        }
        await signing;
    }

    private KeyRing Write(string line)
    {
        File.WriteAllText(_data.KeyEncryptionKey, line + "\n");
        File.SetUnixFileMode(_data.KeyEncryptionKey, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return KeyRings.Load(_data, null);
    }

    private void Import(string label, byte[] key) => _token.Use((factories, session) => session.CreateObject(
    [
        factories.ObjectAttributeFactory.Create(CKA.CKA_CLASS, CKO.CKO_SECRET_KEY),
        factories.ObjectAttributeFactory.Create(CKA.CKA_KEY_TYPE, CKK.CKK_AES),
        factories.ObjectAttributeFactory.Create(CKA.CKA_TOKEN, true), factories.ObjectAttributeFactory.Create(CKA.CKA_LABEL, label),
        factories.ObjectAttributeFactory.Create(CKA.CKA_VALUE, key),
        factories.ObjectAttributeFactory.Create(CKA.CKA_ENCRYPT, true), factories.ObjectAttributeFactory.Create(CKA.CKA_DECRYPT, true),
    ]));
}
