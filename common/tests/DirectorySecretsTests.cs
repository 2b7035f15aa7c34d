using System.Security.Cryptography;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Secrets;

namespace Optiks.Common.Tests;

public sealed class DirectorySecretsTests : IDisposable
{
    private const int OneTagKeyLength = 160;

    private static readonly byte[] s_logId = RandomNumberGenerator.GetBytes(32);
    private readonly TemporaryFolder _folder = new();

    private static StructureId[] All => [.. Enumerable.Range(1, Structures.Count).Select(i => (StructureId)i)];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Each_structure_has_secrets_of_its_own()
    {
        using DirectorySecrets secrets = DirectorySecrets.Generate();
        Assert.Equal(256, DirectorySecrets.Length);
        Assert.Equal(2 * Structures.Count,
            All.SelectMany(structure => new[] { Text(secrets.VrfSecret(structure)), Text(secrets.TagKey(structure)) }).Distinct().Count());
        using DirectorySecrets again = DirectorySecrets.FromOctets(secrets.Octets);
        Assert.Equal(secrets.Octets, again.Octets);
        foreach (StructureId structure in All)
        {
            Assert.Equal(secrets.VrfSecret(structure), again.VrfSecret(structure));
            Assert.Equal(secrets.TagKey(structure), again.TagKey(structure));
        }
    }

    [Fact]
    public void Wrapped_secrets_of_one_tag_key_open_and_give_the_same_tags_and_labels()
    {
        byte[] octets = OfOneTagKey();
        KeyRing key = KeyRing.LoadOrCreate(_folder.Data);
        byte[] wrapped = key.Wrap(octets, SecretPurpose.PeriodSecrets(0), s_logId);
        using var source = new FileSecretSource(_folder.Data, KeyRing.LoadOrCreate(_folder.Data));
        using DirectorySecrets secrets = source.UnwrapPeriod(wrapped, 0, s_logId);

        Assert.Equal(octets, secrets.Octets[..OneTagKeyLength]);
        Assert.Single(All.Select(structure => Text(secrets.TagKey(structure))).Distinct());
        // These tags were computed with Python's hashlib from secrets in the earlier form, which has one tag key for all structures.
        string[] tags = ["8DA90D422A7550866D4B4F806036795F", "3C7C24D769498F71C20F5DD9EB3DCE86", "1A8638574E424B22CD428270272C776E",
            "851D8957A8D987F662D8331E2D7757C5"];
        Assert.Equal(tags, Rows(secrets).OrderBy(row => row.Structure).Select(row => Text(row.Tag)));
        // If secrets in the earlier form are wrapped again, the new form has a tag key for each structure.
        using DirectorySecrets rewrapped = source.UnwrapPeriod(source.WrapPeriod(secrets, 0, s_logId), 0, s_logId);
        Assert.Equal(secrets.Octets, rewrapped.Octets);
        Assert.Equal(tags, Rows(rewrapped).OrderBy(row => row.Structure).Select(row => Text(row.Tag)));
    }

    [Fact]
    public void The_next_period_has_fresh_secrets_of_devices_and_keys_alone()
    {
        using DirectorySecrets old = DirectorySecrets.FromOctets(OfOneTagKey());
        using DirectorySecrets next = old.NextPeriod();
        using DirectorySecrets other = old.NextPeriod();
        foreach (StructureId structure in All)
        {
            bool changes = structure.IsPerPeriod();
            Assert.Equal(changes, Text(old.VrfSecret(structure)) != Text(next.VrfSecret(structure)));
            Assert.Equal(changes, Text(old.TagKey(structure)) != Text(next.TagKey(structure)));
            Assert.Equal(changes, Text(other.VrfSecret(structure)) != Text(next.VrfSecret(structure)));
            Assert.Equal(changes, Text(other.TagKey(structure)) != Text(next.TagKey(structure)));
            Assert.True(VrfKey.TryGetPublicKey(next.VrfSecret(structure), new byte[VrfKey.Length]));
        }
        Assert.NotEqual(Text(next.TagKey(StructureId.Devices)), Text(next.TagKey(StructureId.Keys)));
        old.Dispose();
        Assert.Throws<ObjectDisposedException>(() => old.NextPeriod());
        Assert.Equal(DirectorySecrets.Length, next.Octets.Length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(128)]
    [InlineData(159)]
    [InlineData(161)]
    [InlineData(192)]
    [InlineData(224)]
    [InlineData(255)]
    [InlineData(257)]
    public void Octets_of_another_length_are_refused(int length)
    {
        byte[] octets = [.. OfOneTagKey(), .. new byte[100]];
        Assert.Contains("damaged", Assert.Throws<SecretsException>(() => DirectorySecrets.FromOctets(octets.AsSpan(..length))).Message,
            StringComparison.Ordinal);
        DirectorySecrets.FromOctets(octets.AsSpan(..OneTagKeyLength)).Dispose();
        DirectorySecrets.FromOctets(octets.AsSpan(..DirectorySecrets.Length)).Dispose();
    }

    [Fact]
    public void A_vrf_secret_out_of_range_is_refused()
    {
        for (int i = 0; i < Structures.Count; i++)
        {
            byte[] octets = OfOneTagKey();
            octets.AsSpan(i * 32, 32).Fill(0xff);
            Assert.Throws<SecretsException>(() => DirectorySecrets.FromOctets(octets));
        }
    }

    private static byte[] OfOneTagKey()
    {
        byte[] octets = new byte[OneTagKeyLength];
        for (int i = 0; i < Structures.Count; i++)
        {
            octets[32 * i] = (byte)(i + 1);
        }
        octets[32 * Structures.Count] = 9;
        return octets;
    }

    // Returns the rows of the key "alice" in each structure.
    private static LeafRow[] Rows(DirectorySecrets secrets)
    {
        using var directory = KeyDirectory.Create(new DirectoryOptions { Secrets = secrets, MaxValueLength = 100 });
        using var keys = new ByteStrings();
        using var values = new ByteStrings();
        foreach (StructureId _ in All)
        {
            keys.Add("alice"u8);
            values.Add("value"u8);
        }
        var rows = new LeafRow[Structures.Count];
        directory.Prepare(1, All, keys, values, rows);
        return rows;
    }

    private static string Text(ReadOnlySpan<byte> octets) => Convert.ToHexString(octets);
}
