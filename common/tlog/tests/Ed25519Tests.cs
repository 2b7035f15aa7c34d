using System.Text;

namespace Optiks.Tlog.Tests;

/// <summary>Tests the Ed25519 implementation of these tests, on which the other tests rely.</summary>
public sealed class Ed25519Tests
{
    private static readonly BigIntegerEd25519 Ed25519 = new();

    [Theory]
    [InlineData(
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")]
    [InlineData(
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")]
    public void Known_answers_of_rfc_8032(string seed, string publicKey, string message, string signature)
    {
        byte[] seedBytes = Convert.FromHexString(seed);
        byte[] messageBytes = Convert.FromHexString(message);

        Assert.Equal(publicKey, Convert.ToHexStringLower(BigIntegerEd25519.PublicKey(seedBytes)));
        Assert.Equal(signature, Convert.ToHexStringLower(BigIntegerEd25519.Sign(seedBytes, messageBytes)));
        Assert.True(Ed25519.Verify(Convert.FromHexString(publicKey), messageBytes, Convert.FromHexString(signature)));
        Assert.False(Ed25519.Verify(Convert.FromHexString(publicKey), [.. messageBytes, 0], Convert.FromHexString(signature)));
    }

    [Fact]
    public void Example_of_the_signed_note_text()
    {
        VerifierKey key = Vectors.Key("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k");
        byte[] note = Encoding.UTF8.GetBytes(
            "This is an example message.\n\n— example.com/foo "
            + "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n");

        Assert.True(SignedNote.TryParse(note, out SignedNote? parsed, out _));
        Assert.Equal(TlogError.None, new VerifierSet(Ed25519, [key]).Verify(parsed, out IReadOnlyList<VerifiedSignature> verified));
        Assert.Equal(key, Assert.Single(verified).Key);
    }
}
