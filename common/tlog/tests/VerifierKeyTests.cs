using System.Text.Json;

namespace Optiks.Tlog.Tests;

public sealed class VerifierKeyTests
{
    private static readonly byte[] SomeKey = Vectors.LogKey.PublicKey.ToArray();

    public static TheoryData<string> VkeyIds =>
        [.. Vectors.Notes.GetProperty("vkeys").EnumerateArray().Select(vector => vector.Text("id"))];

    [Fact]
    public void Keys_of_the_vectors_parse_and_format_in_both_types()
    {
        JsonElement keys = Vectors.Keys;
        JsonElement[] all =
        [
            keys.GetProperty("log"), keys.GetProperty("auditor"),
            .. keys.GetProperty("witnesses").EnumerateArray(), .. keys.GetProperty("others").EnumerateArray(),
        ];
        Assert.Equal(10, all.Length);
        foreach (JsonElement key in all)
        {
            foreach (SignatureType type in new[] { SignatureType.Ed25519, SignatureType.CosignatureV1 })
            {
                string form = $"as_type_0x{(int)type:x2}";
                string vkey = key.GetProperty(form).Text("vkey");
                VerifierKey parsed = Vectors.Key(vkey);
                Assert.Equal(vkey, parsed.ToString());
                Assert.Equal(key.GetProperty(form).Text("key_id_hex"), parsed.KeyId.ToString("x8", null));
                Assert.Equal(type, parsed.Type);
                Assert.Equal(key.Text("public_key_hex"), Convert.ToHexStringLower(parsed.PublicKey));
                Assert.Equal(parsed, SeedSigner.From(key, type).Key);
            }
        }
    }

    [Theory]
    [MemberData(nameof(VkeyIds))]
    public void Vkeys_are_read_in_exact_form_only(string id)
    {
        JsonElement vector = Vectors.Notes.GetProperty("vkeys").EnumerateArray().Single(v => v.Text("id") == id);
        TlogError expected = id switch
        {
            "good" or "type-0x04" => TlogError.None,
            "wrong-hash" => TlogError.KeyIdMismatch,
            _ => TlogError.MalformedKey,
        };

        Assert.Equal(expected == TlogError.None, VerifierKey.TryParse(vector.Text("vkey"), out _, out TlogError error));
        Assert.Equal(expected, error);
    }

    [Fact]
    public void All_vkey_vectors_are_there() => Assert.Equal(12, VkeyIds.Count);

    [Fact]
    public void Other_types_are_named_as_such()
    {
        // The key has the type 0x06 (ML-DSA-44), but only 32 bytes.
        string vkey = $"optiks.example/log+00000000+{Convert.ToBase64String([0x06, .. SomeKey])}";

        Assert.False(VerifierKey.TryParse(vkey, out _, out TlogError error));
        Assert.Equal(TlogError.UnsupportedKeyType, error);
    }

    [Theory]
    [InlineData("", false)]
    [InlineData("a b", false)]
    [InlineData("a\u00a0b", false)]
    [InlineData("a\u3000b", false)]
    [InlineData("a+b", false)]
    [InlineData("a\nb", false)]
    [InlineData("größe.example/λογ", true)]
    public void Names_without_spaces_and_plus_make_keys(string name, bool good)
    {
        Exception? thrown = Record.Exception(() => new VerifierKey(name, SignatureType.Ed25519, SomeKey));

        Assert.Equal(good, thrown is null);
        Assert.True(good || thrown is ArgumentException);
    }
}
