using System.Text;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>Tests how programs render untrusted text for a terminal.</summary>
public sealed class DisplayTextTests
{
    [Theory]
    [InlineData("alice", "alice")]
    [InlineData("Zoë 漢字 🙂 a\\b", "Zoë 漢字 🙂 a\\b")]
    [InlineData("\u001b[31m", "\\u001b[31m")]
    [InlineData("\u009b31m", "\\u009b31m")]
    [InlineData("a\u202eb\u2066c\u200ed", "a\\u202eb\\u2066c\\u200ed")]
    [InlineData("a\u200bb\u00adc\ufeffd", "a\\u200bb\\u00adc\\ufeffd")]
    [InlineData("a\u2028b\u2029c\nd", "a\\u2028b\\u2029c\\u000ad")]
    [InlineData("\U000E0041\U000E007F\U000E0100", "\\udb40\\udc41\\udb40\\udc7f\\udb40\\udd00")]
    [InlineData("a\u00a0b\u3000c\u3164d\u2800e\ufe0f", "a\\u00a0b\\u3000c\\u3164d\\u2800e\\ufe0f")]
    [InlineData("\ue000\U0010FFFF", "\\ue000\\udbff\\udfff")]
    public void Characters_that_act_or_hide_are_escaped(string text, string shown) => Assert.Equal(shown, DisplayText.Escape(text));

    [Fact]
    public void Long_text_is_cut_between_characters()
    {
        Assert.Equal("abc...", DisplayText.Escape("abcdef", 3));
        Assert.Equal("abc", DisplayText.Escape("abc", 3));
        Assert.Equal("🙂🙂...", DisplayText.Escape("🙂🙂🙂", 3));
        Assert.Equal("ab... (6 octets)", DisplayText.Show("ab🙂"u8, 3));
        Assert.Equal("abcd", DisplayText.Show("abcd"u8, 4));
    }

    [Theory]
    [InlineData("alice", "alice")]
    [InlineData("", "\"\"")]
    [InlineData("b64:AAEC", "\"b64:AAEC\"")]
    [InlineData("\"b64:AAEC\"", "\"\\\"b64:AAEC\\\"\"")]
    [InlineData(" a", "\" a\"")]
    [InlineData("a ", "\"a \"")]
    [InlineData("a \"b\" \\", "a \"b\" \\")]
    [InlineData("\u202ea\\", "\"\\u202ea\\\\\"")]
    [InlineData("a\u0007", "b64:YQc")]
    public void Text_is_shown_so_that_nothing_else_looks_like_it(string text, string shown) =>
        Assert.Equal(shown, DisplayText.Show(Encoding.UTF8.GetBytes(text)));

    [Fact]
    public void No_two_values_are_shown_alike()
    {
        string[] parts = ["", "b64:", "AA", "\"", "\\", "\u202e", "\\u202e", " ", "\u0001", "b64:AA"];
        byte[][] values = [.. parts.SelectMany(a => parts.SelectMany(b => parts.Select(c => a + b + c))).Distinct()
            .Select(Encoding.UTF8.GetBytes), [0xff], [0, 1, 2], [0xc0, 0x80]];
        Assert.Equal(values.Length, values.Select(value => DisplayText.Show(value)).Distinct().Count());
    }
}
