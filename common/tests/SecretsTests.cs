using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

public sealed class SecretsTests : IDisposable
{
    private static readonly byte[] s_logId = RandomNumberGenerator.GetBytes(32);
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void What_was_wrapped_opens_with_the_same_key_log_and_purpose_only()
    {
        using KeyEncryptionKey key = FromEnvironment(1);
        using KeyEncryptionKey other = FromEnvironment(2);
        byte[] secret = RandomNumberGenerator.GetBytes(160);
        byte[] wrapped = key.Wrap(secret, SecretPurpose.PeriodSecrets(3), s_logId);

        Assert.Equal(secret, key.Unwrap(wrapped, SecretPurpose.PeriodSecrets(3), s_logId));
        Assert.Throws<SecretsException>(() => other.Unwrap(wrapped, SecretPurpose.PeriodSecrets(3), s_logId));
        Assert.Throws<SecretsException>(() => key.Unwrap(wrapped, SecretPurpose.PeriodSecrets(4), s_logId));
        Assert.Throws<SecretsException>(() => key.Unwrap(wrapped, SecretPurpose.LogKey, s_logId));
        Assert.Throws<SecretsException>(() => key.Unwrap(wrapped, SecretPurpose.PeriodSecrets(3), new byte[32]));
        Assert.Throws<SecretsException>(() => key.Unwrap(wrapped.AsSpan(..36), SecretPurpose.PeriodSecrets(3), s_logId));
        Assert.NotEqual(wrapped, key.Wrap(secret, SecretPurpose.PeriodSecrets(3), s_logId));
    }

    [Fact]
    public void No_octet_of_a_wrapped_secret_can_change_unnoticed()
    {
        using KeyEncryptionKey key = FromEnvironment(1);
        byte[] wrapped = key.Wrap([1, 2, 3], SecretPurpose.LogKey, s_logId);
        for (int i = 0; i < wrapped.Length; i++)
        {
            byte[] changed = [.. wrapped];
            changed[i] ^= 1;
            Assert.Throws<SecretsException>(() => key.Unwrap(changed, SecretPurpose.LogKey, s_logId));
        }
        Assert.Equal<byte>([1, 2, 3], key.Unwrap(wrapped, SecretPurpose.LogKey, s_logId));
    }

    [Theory]
    [InlineData("")]
    [InlineData("AAAA")]
    [InlineData("not base64url at all, but of forty-three ch")]
    public void A_key_that_is_not_32_octets_is_refused(string text)
    {
        File.WriteAllText(_folder.Data.KeyEncryptionKey, text);
        File.SetUnixFileMode(_folder.Data.KeyEncryptionKey, AtomicFile.PrivateMode);
        SecretsException refused = Assert.Throws<SecretsException>(() => KeyRing.Load(_folder.Data, _ => null));
        Assert.Contains(_folder.Data.KeyEncryptionKey, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(text.Length > 0 ? text : "\0", refused.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0x1A4, false)]
    [InlineData(0x1A0, false)]
    [InlineData(0x184, false)]
    [InlineData(0x190, false)]
    [InlineData(0x182, false)]
    [InlineData(0x180, true)]
    [InlineData(0x100, true)]
    public void A_secret_file_that_others_can_open_is_refused(int mode, bool accepted)
    {
        string path = _folder["secret"];
        File.WriteAllText(path, "secret");
        File.SetUnixFileMode(path, (UnixFileMode)mode);
        if (accepted)
        {
            Assert.Equal("secret"u8, SecretFile.Read(path));
        }
        else
        {
            Assert.Contains("chmod 600", Assert.Throws<SecretsException>(() => SecretFile.Read(path)).Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void The_key_may_be_a_credential_of_the_service_manager()
    {
        string? Environment(string name) => name == ServiceCredential.Variable ? _folder["credentials"] : null;
        Directory.CreateDirectory(_folder["credentials"]);
        Write(_folder.Data.KeyEncryptionKey, KeyText(1), AtomicFile.PrivateMode);
        // If there is no credential, the ring is read from the data folder's file. If both a credential and this file exist, the ring is
        // refused.
        var file = KeyRing.Load(_folder.Data, Environment);
        // The group's bits of the mode are the mask of an access control list, which gives access to one user.
        Write(_folder["credentials/optiks.kek"], KeyText(2), UnixFileMode.UserRead | UnixFileMode.GroupRead);
        string both = Assert.Throws<SecretsException>(() => KeyRing.Load(_folder.Data, Environment)).Message;
        Assert.Contains($"given 2 times, by {_folder["credentials/optiks.kek"]} and by {_folder.Data.KeyEncryptionKey}", both,
            StringComparison.Ordinal);
        File.Move(_folder.Data.KeyEncryptionKey, _folder["elsewhere"]);
        var credential = KeyRing.Load(_folder.Data, Environment);
        Assert.Null(credential.File);
        using KeyEncryptionKey second = FromEnvironment(2);
        byte[] wrapped = second.Wrap([7], SecretPurpose.LogKey, s_logId);
        Assert.Equal<byte>([7], credential.Unwrap(wrapped, SecretPurpose.LogKey, s_logId));
        File.Move(_folder["elsewhere"], _folder.Data.KeyEncryptionKey);
        Assert.Throws<SecretsException>(() => file.Unwrap(wrapped, SecretPurpose.LogKey, s_logId));
        File.Delete(_folder.Data.KeyEncryptionKey);
        // Outside the folder of credentials, a file is refused if its mode gives the group access.
        Write(_folder["kek"], KeyText(1), UnixFileMode.UserRead | UnixFileMode.GroupRead);
        Assert.Throws<SecretsException>(() => SecretFile.Read(_folder["kek"], Environment));
        Write(_folder["credentials/optiks.kek"], KeyText(2), UnixFileMode.UserRead | UnixFileMode.OtherRead);
        Assert.Throws<SecretsException>(() => KeyRing.Load(_folder.Data, Environment));
    }

    [Fact]
    public void A_missing_secret_file_is_not_made()
    {
        Assert.Throws<SecretsException>(() => KeyRing.Load(_folder.Data, _ => null));
        Assert.False(File.Exists(_folder.Data.KeyEncryptionKey));
    }

    [Fact]
    public void Load_or_create_makes_a_private_file_once()
    {
        var made = KeyRing.LoadOrCreate(_folder.Data);
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(_folder.Data.KeyEncryptionKey));
        byte[] wrapped = made.Wrap([7], SecretPurpose.LogKey, s_logId);
        var again = KeyRing.LoadOrCreate(_folder.Data);
        Assert.Equal<byte>([7], again.Unwrap(wrapped, SecretPurpose.LogKey, s_logId));
    }

    [Fact]
    public async Task The_log_key_signs_what_its_trust_anchor_verifies()
    {
        using var source = new FileSecretSource(_folder.Data, Ring(1));
        (TrustAnchor anchor, INoteSigner made) = source.CreateLog(new Configuration { Origin = "example.com/log" });
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(_folder.Data.LogKey));
        TrustAnchor loaded = TrustAnchor.Load(_folder.Data.TrustAnchor);
        Assert.Equal(anchor.LogId.ToArray(), loaded.LogId.ToArray());

        INoteSigner opened = source.OpenLogSigner(loaded);
        byte[] signature = await opened.SignAsync("message"u8.ToArray(), TestContext.Current.CancellationToken);
        Assert.Equal(await made.SignAsync("message"u8.ToArray(), TestContext.Current.CancellationToken), signature);
        Assert.True(Ed25519.Verify(loaded.LogKey.PublicKey, "message"u8, signature));
        Assert.False(Ed25519.Verify(loaded.LogKey.PublicKey, "massage"u8, signature));
        Assert.Throws<SecretsException>(() => source.CreateLog(new Configuration { Origin = "example.com/other" }));
    }

    [Fact]
    public void Another_key_encryption_key_opens_no_log_key_and_changes_nothing()
    {
        TrustAnchor anchor;
        using (var source = new FileSecretSource(_folder.Data, Ring(1)))
        {
            anchor = source.CreateLog(new Configuration { Origin = "example.com/log" }).Anchor;
        }
        byte[] before = File.ReadAllBytes(_folder.Data.LogKey);
        using var wrong = new FileSecretSource(_folder.Data, Ring(2));
        SecretsException refused = Assert.Throws<SecretsException>(() => wrong.OpenLogSigner(anchor));
        Assert.Contains("put the right key back", refused.Message, StringComparison.Ordinal);
        Assert.Equal(before, File.ReadAllBytes(_folder.Data.LogKey));
    }

    [Fact]
    public void Keys_do_not_show_in_text()
    {
        using KeyEncryptionKey key = FromEnvironment(1);
        Assert.DoesNotContain(KeyText(1), key.ToString(), StringComparison.Ordinal);
    }

    private static void Write(string path, string text, UnixFileMode mode)
    {
        File.WriteAllText(path, text);
        File.SetUnixFileMode(path, mode);
    }

    private static KeyEncryptionKey FromEnvironment(byte octet) =>
        KeyEncryptionKey.FromText(System.Text.Encoding.ASCII.GetBytes(KeyText(octet)), "a test");

    private static KeyRing Ring(byte octet) =>
        KeyRing.Load(new DataFolder("/nonexistent"), name => name == KeyRing.Variable ? KeyText(octet) : null);

    private static string KeyText(byte octet) => Base64UrlText.Encode(Enumerable.Repeat(octet, 32).ToArray());
}
