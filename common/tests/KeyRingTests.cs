using System.Security.Cryptography;
using System.Text;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Common.Tests;

public sealed class KeyRingTests : IDisposable
{
    private const string Purpose = SecretPurpose.LogKey;

    private static readonly byte[] s_logId = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    /// <summary>
    /// Tests a secret that Python's package cryptography wrapped as docs/spec/wrapping.md says. All bytes of the key are 1. The log id and
    /// the nonce are the bytes 00 01 ..., and the secret is the bytes 100 101 ...
    /// </summary>
    [Fact]
    public void Another_implementations_wrapped_secrets_open()
    {
        byte[] secret = [.. Enumerable.Range(100, 32).Select(i => (byte)i)];
        using KeyEncryptionKey key = KeyEncryptionKey.FromText(Octets(Text(1)), "test");
        Assert.Equal("b7e1a51526f8d9f3", key.Id.ToString());
        byte[] named = Convert.FromHexString(
            "02B7E1A51526F8D9F3000102030405060708090A0BDFC3F34148976C12920789AB5018BAD0DAB31D7D8DE83F7B0DB746FF2106BF3137CB81711CBF9BB5D329ACCB12A417E5");
        Assert.Equal(secret, key.Unwrap(named, Purpose, s_logId));
        byte[] earlier = Convert.FromHexString(
            "01000102030405060708090A0BDFC3F34148976C12920789AB5018BAD0DAB31D7D8DE83F7B0DB746FF2106BF31783B53568A2FC6434F5AF625DF7FE6AD");
        Assert.Equal(secret, key.Unwrap(earlier, SecretPurpose.PeriodSecrets(3), s_logId));
        Assert.False(KeyId.TryRead(earlier, out _));
        // The secret can also be opened if its key is the second key of a ring.
        KeyRing ring = Ring($"{Text(2)} {Text(1)}");
        Assert.Equal(secret, ring.Unwrap(earlier, SecretPurpose.PeriodSecrets(3), s_logId, out KeyId by));
        Assert.Equal(key.Id, by);
        Assert.Throws<SecretsException>(() => Ring(Text(2)).Unwrap(earlier, SecretPurpose.PeriodSecrets(3), s_logId));
    }

    [Fact]
    public void A_ring_opens_by_the_key_that_wrapped_and_wraps_by_the_one_that_it_is_told()
    {
        KeyRing ring = Ring($"{Text(1)}\n{Text(2)}\n");
        KeyId[] ids = Ids(ring);
        byte[] first = ring.Wrap([7], Purpose, s_logId);
        byte[] second = ring.Wrap([8], Purpose, s_logId, ids[1]);
        Assert.True(KeyId.TryRead(first, out KeyId named) && named == ids[0]);
        Assert.Equal<byte>([8], ring.Unwrap(second, Purpose, s_logId, out KeyId by));
        Assert.Equal(ids[1], by);
        Assert.Equal<byte>([7], Ring($"{Text(2)} {Text(1)}").Unwrap(first, Purpose, s_logId));

        KeyRing other = Ring(Text(3));
        string says = Assert.Throws<SecretsException>(() => other.Unwrap(first, Purpose, s_logId)).Message;
        Assert.Contains(
            $"is wrapped by the key-encryption key {ids[0]}, which the variable OPTIKS_KEK does not have (it has {Ids(other)[0]})", says,
            StringComparison.Ordinal);
        Assert.Throws<SecretsException>(() => other.Wrap([7], Purpose, s_logId, ids[0]));
        // The secret names a key that the ring has, but is damaged. The error must not say that the key is missing.
        second[^1] ^= 1;
        Assert.Contains("damaged", Assert.Throws<SecretsException>(() => ring.Unwrap(second, Purpose, s_logId)).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("two of one", 2)]
    [InlineData("too many", 9)]
    [InlineData("none", 0)]
    public void A_text_that_is_no_ring_is_refused(string why, int keys)
    {
        string text = string.Join('\n', Enumerable.Range(1, keys).Select(i => Text((byte)(why == "two of one" ? 1 : i))));
        SecretsException refused = Assert.Throws<SecretsException>(() => Ring(text + "\n"));
        Assert.DoesNotContain(Text(1), refused.ToString(), StringComparison.Ordinal);
        Assert.Contains("OPTIKS_KEK", refused.Message, StringComparison.Ordinal);
        Assert.Equal(8, Ids(Ring(string.Join(' ', Enumerable.Range(1, 8).Select(i => Text((byte)i))))).Distinct().Count());
    }

    [Fact]
    public void A_key_in_a_token_needs_a_program_that_can_use_tokens()
    {
        const string uri = "pkcs11:token=t;object=k?module-path=/m&pin-source=/p";
        KeyRing without = KeyRing.Load(_folder.Data, Variable(uri));
        Assert.Contains("cannot use", Assert.Throws<SecretsException>(() => without.Wrap([7], Purpose, s_logId)).Message,
            StringComparison.Ordinal);
        var opened = new List<string>();
        KeyRing ring = KeyRing.Load(_folder.Data, Variable($"{Text(1)} {uri}"), openToken: named =>
        {
            opened.Add(named);
            return new MemoryCipher(Enumerable.Repeat((byte)9, 32).ToArray());
        });
        Assert.Empty(opened);
        Assert.Equal(2, Ids(ring).Length);
        Assert.Equal([uri], opened);
        // A key in a token has the same id as the same key in a file.
        Assert.Equal(Ids(Ring(Text(9)))[0], Ids(ring)[1]);
    }

    [Fact]
    public void Each_place_may_have_the_keys_and_two_may_not()
    {
        string folder = _folder["credentials"];
        string file = _folder["mine"];
        Directory.CreateDirectory(folder);
        var places = new Dictionary<string, Action>
        {
            ["OPTIKS_KEK"] = () => { },
            ["optiks.kek"] = () => Write(Path.Combine(folder, "optiks.kek"), Text(2)),
            ["mine"] = () => Write(file, Text(3)),
            ["kek"] = () => Write(_folder.Data.KeyEncryptionKey, Text(4)),
        };
        for (int set = 1; set < 1 << places.Count; set++)
        {
            string[] chosen = [.. places.Keys.Where((_, i) => (set >> i & 1) != 0)];
            Array.ForEach([file, _folder.Data.KeyEncryptionKey, Path.Combine(folder, "optiks.kek")], File.Delete);
            Array.ForEach(chosen, place => places[place]());
            KeyRing Load() => KeyRing.Load(
                _folder.Data,
                name => name == ServiceCredential.Variable ? folder : name == KeyRing.Variable && chosen.Contains(name) ? Text(1) : null,
                chosen.Contains("mine") ? file : "");
            if (chosen.Length == 1)
            {
                byte octet = (byte)(Array.IndexOf([.. places.Keys], chosen[0]) + 1);
                Assert.Equal(Ids(Ring(Text(octet))), Ids(Load()));
                Assert.Equal(chosen[0] is "mine" or "kek", Load().File is not null);
                continue;
            }
            string says = Assert.Throws<SecretsException>(Load).Message;
            Assert.Contains($"given {chosen.Length} times", says, StringComparison.Ordinal);
            Assert.All(chosen, place => Assert.Contains(place, says, StringComparison.Ordinal));
        }
        // If the setting names the data folder's own file, the setting and the file count as one source.
        Write(_folder.Data.KeyEncryptionKey, Text(4));
        _ = KeyRing.Load(_folder.Data, _ => null, _folder.Data.KeyEncryptionKey);
        // If the file that the setting names is missing, no new key is made.
        File.Delete(_folder.Data.KeyEncryptionKey);
        Assert.Contains("missing", Assert.Throws<SecretsException>(() => KeyRing.LoadOrCreate(_folder.Data, _folder["none"])).Message,
            StringComparison.Ordinal);
        Assert.False(File.Exists(_folder["none"]));
    }

    [Fact]
    public void A_file_that_changes_is_taken_at_the_next_use()
    {
        Write(_folder.Data.KeyEncryptionKey, Text(1));
        KeyRing ring = KeyRing.Load(_folder.Data, _ => null);
        byte[] old = ring.Wrap([7], Purpose, s_logId);
        var file = new KeyRingFile(ring, openToken: null);
        KeyId added = file.Add(Octets(Text(2) + "\n"), "test");
        Assert.Equal(AtomicFile.PrivateMode, File.GetUnixFileMode(_folder.Data.KeyEncryptionKey));
        Assert.Equal(added, Ids(ring)[1]);
        Assert.Equal<byte>([7], ring.Unwrap(old, Purpose, s_logId));

        string before = File.ReadAllText(_folder.Data.KeyEncryptionKey);
        Assert.Contains("already", Assert.Throws<SecretsException>(() => file.Add(Octets(Text(1)), "test")).Message,
            StringComparison.Ordinal);
        Assert.Throws<SecretsException>(() => file.Add(Octets($"{Text(3)}\n{Text(4)}\n"), "test"));
        Assert.Throws<SecretsException>(() => file.Add("no key"u8, "test"));
        Assert.Throws<SecretsException>(() => file.Remove(new KeyId(1)));
        Assert.Equal(before, File.ReadAllText(_folder.Data.KeyEncryptionKey));

        file.Remove(Ids(ring)[0]);
        Assert.Equal([added], Ids(ring));
        Assert.Throws<SecretsException>(() => ring.Unwrap(old, Purpose, s_logId));
        Assert.Contains("no key other than", Assert.Throws<SecretsException>(() => file.Remove(added)).Message, StringComparison.Ordinal);
        Assert.Throws<SecretsException>(() => new KeyRingFile(Ring(Text(1)), openToken: null));

        File.SetUnixFileMode(_folder.Data.KeyEncryptionKey, AtomicFile.PublicMode);
        Assert.Contains("chmod 600", Assert.Throws<SecretsException>(() => file.Add(Octets(Text(3)), "test")).Message,
            StringComparison.Ordinal);
        Assert.Contains("chmod 600", Assert.Throws<SecretsException>(() => ring.Wrap([7], Purpose, s_logId)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void The_logs_key_may_be_a_credential_or_a_variable_and_is_in_one_place()
    {
        string folder = _folder["credentials"];
        Directory.CreateDirectory(folder);
        byte[] wrapped = Ring(Text(1)).Wrap(RandomNumberGenerator.GetBytes(32), Purpose, s_logId);
        string? variable = null;
        string? Environment(string name) => name == ServiceCredential.Variable ? folder : name == WrappedLogKey.Variable ? variable : null;
        KeySource Find() => WrappedLogKey.Find(_folder.Data, Environment);
        Assert.False(Find().Exists);
        variable = Base64UrlText.Encode(wrapped);
        Assert.Equal(wrapped, WrappedLogKey.Read(Find()));
        variable = "no base64url";
        Assert.Contains("OPTIKS_LOG_KEY", Assert.Throws<SecretsException>(() => WrappedLogKey.Read(Find())).Message,
            StringComparison.Ordinal);
        variable = null;
        File.WriteAllBytes(Path.Combine(folder, "optiks.log-key"), wrapped);
        File.SetUnixFileMode(Path.Combine(folder, "optiks.log-key"), AtomicFile.PrivateMode);
        Assert.Equal(wrapped, WrappedLogKey.Read(Find()));
        Assert.False(Find().IsFile);
        File.WriteAllBytes(_folder.Data.LogKey, wrapped);
        Assert.Contains("given 2 times", Assert.Throws<SecretsException>(Find).Message, StringComparison.Ordinal);
    }

    private static KeyRing Ring(string text) => KeyRing.Load(new DataFolder("/nonexistent"), Variable(text));

    private static Func<string, string?> Variable(string text) => name => name == KeyRing.Variable ? text : null;

    private static KeyId[] Ids(KeyRing ring)
    {
        using OpenedRing keys = ring.Open();
        return [.. keys.Keys.Select(key => key.Id)];
    }

    private static void Write(string path, string text)
    {
        File.WriteAllText(path, text + "\n");
        File.SetUnixFileMode(path, AtomicFile.PrivateMode);
    }

    private static byte[] Octets(string text) => Encoding.ASCII.GetBytes(text);

    private static string Text(byte octet) => Base64UrlText.Encode(Enumerable.Repeat(octet, 32).ToArray());
}
