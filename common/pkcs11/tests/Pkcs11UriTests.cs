namespace Optiks.Pkcs11.Tests;

public sealed class Pkcs11UriTests
{
    [Fact]
    public void Attributes_are_decoded()
    {
        Assert.True(Pkcs11Uri.TryParse(
            "pkcs11:token=my%20token;serial=01;manufacturer=M;model=N;object=gr%C3%B6%C3%9Fe;id=%00%ff;type=private?module-path=/lib/m.so&pin-source=file:///etc/pin", out Pkcs11Uri? uri, out _));
        Assert.Equal(("my token", "01", "M", "N", "größe"), (uri.Token, uri.Serial, uri.Manufacturer, uri.Model, uri.Label));
        Assert.Equal(new byte[] { 0, 255 }, uri.Id!.Value.ToArray());
        Assert.Equal(("/lib/m.so", "/etc/pin"), (uri.Module, uri.PinFile));
        Assert.True(Pkcs11Uri.TryParse("pkcs11:serial=1;id=%01?pin-source=/etc/pin&module-path=/m", out uri, out _));
        Assert.Equal((null, null, "/etc/pin"), (uri.Token, uri.Label, uri.PinFile));
        Assert.True(Pkcs11Uri.TryParse("pkcs11:token=t;object=o?pin-source=/p&module-path=/m", out uri, out _));
        Assert.Null(uri.Id);
    }

    [Theory]
    [InlineData("", "begin with")]
    [InlineData("PKCS11:token=t;object=o?module-path=/m&pin-source=/p", "begin with")]
    [InlineData("pkcs11:object=o?module-path=/m&pin-source=/p", "names no token")]
    [InlineData("pkcs11:token=t?module-path=/m&pin-source=/p", "names no key")]
    [InlineData("pkcs11:token=t;object=o?pin-source=/p", "names no library")]
    [InlineData("pkcs11:token=t;object=o", "names no library")]
    [InlineData("pkcs11:token=t;object=o?module-path=/m", "where the PIN is")]
    [InlineData("pkcs11:token=t;object=o?module-path=m.so&pin-source=/p", "not absolute")]
    [InlineData("pkcs11:token=t;object=o?module-path=/m&pin-value=1234", "contains a PIN")]
    [InlineData("pkcs11:token=t;object=o;pin-value=1234?module-path=/m&pin-source=/p", "contains a PIN")]
    [InlineData("pkcs11:token=t;object=o;type=public?module-path=/m&pin-source=/p", "neither 'private'")]
    [InlineData("pkcs11:token=t;object=o;object=p?module-path=/m&pin-source=/p", "object twice")]
    [InlineData("pkcs11:token=t;object=o;label=p?module-path=/m&pin-source=/p", "unknown attribute")]
    [InlineData("pkcs11:token=t;object=o;module-path=/m?pin-source=/p", "unknown attribute")]
    [InlineData("pkcs11:token=t;object=?module-path=/m&pin-source=/p", "no value")]
    [InlineData("pkcs11:token=t;object?module-path=/m&pin-source=/p", "no value")]
    [InlineData("pkcs11:token=%4;object=o?module-path=/m&pin-source=/p", "no value")]
    [InlineData("pkcs11:token=%zz;object=o?module-path=/m&pin-source=/p", "no value")]
    [InlineData("pkcs11:token=t;object=o?module-path=/m?pin-source=/p", "two question marks")]
    public void What_cannot_be_used_is_refused_without_being_quoted(string text, string says)
    {
        Assert.False(Pkcs11Uri.TryParse(text, out _, out string? problem));
        Assert.Contains(says, problem, StringComparison.Ordinal);
        Assert.DoesNotContain("1234", problem, StringComparison.Ordinal);
    }
}
