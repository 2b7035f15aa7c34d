using Optiks.Protocol;

namespace Optiks.Common.Tests;

public sealed class Base64UrlTextTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("00", "AA")]
    [InlineData("FFEF", "_-8")]
    [InlineData("000000", "AAAA")]
    [InlineData("FFFFFFFF", "_____w")]
    public void Has_one_text(string hex, string text)
    {
        byte[] octets = Convert.FromHexString(hex);
        Assert.Equal(text, Base64UrlText.Encode(octets));
        Assert.True(Base64UrlText.TryDecode(text, out byte[]? decoded));
        Assert.Equal(octets, decoded);
    }

    [Theory]
    [InlineData("A")]
    [InlineData("AAAAA")]
    [InlineData("AA==")]
    [InlineData("AA=")]
    [InlineData("AB")]
    [InlineData("AAB")]
    [InlineData("____/w")]
    [InlineData("+AAA")]
    [InlineData(" AAAA")]
    [InlineData("AA AA")]
    [InlineData("AAAA\n")]
    [InlineData("AAAA%")]
    public void Refuses_any_other_text(string text) => Assert.False(Base64UrlText.TryDecode(text, out _));
}
