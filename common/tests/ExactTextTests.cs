using System.Collections;
using System.Text;

namespace Optiks.Common.Tests;

/// <summary>Tests that the check finds text that is not UTF-8 in the command line and the environment, and refuses no other text.</summary>
public sealed class ExactTextTests
{
    // The text to which .NET decodes both "caf\xe9" and "caf\xe8". A text that itself contains U+FFFD is decoded to the same text.
    private const string Shown = "caf\uFFFD";

    [Theory]
    [InlineData("optiks\0lookup\0caf\u00e9\0", null)]
    [InlineData("optiks\0lookup\0caf\uFFFD\0", null)]
    [InlineData("optiks\0lookup\0\0", null)]
    [InlineData("optiks\0lookup\0caf\\xe9\0", "Argument 2")]
    [InlineData("optiks\0\\xe8\0caf\0", "Argument 1")]
    [InlineData("opt\\xe8ks\0lookup\0caf\0", null)]
    public void An_argument_that_is_not_UTF_8_is_found(string commandLine, string? fault)
    {
        string? found = ExactText.FindArgument(["lookup", Shown], Octets(commandLine));

        Assert.Equal(fault is not null, found is not null);
        Assert.StartsWith(fault ?? "", found ?? "", StringComparison.Ordinal);
        Assert.True(found is null || found.Contains("--b64", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("OPTIKS_DATA=/tmp/caf\u00e9\0", null)]
    [InlineData("OPTIKS_DATA=/tmp/caf\\xe9\0", "OPTIKS_DATA")]
    [InlineData("A=b\0Optiks__Storage__ConnectionString=Password=caf\\xe9\0", "Optiks__Storage__ConnectionString")]
    [InlineData("LS_COLORS=caf\\xe9\0", null)]
    [InlineData("OPTIKS_DATA=\uFFFD\0", null)]
    public void A_variable_that_is_not_UTF_8_is_found_and_its_value_not_said(string environment, string? name)
    {
        string? found = ExactText.FindVariable(new Hashtable(), Octets(environment));

        Assert.Equal(name is null ? null : $"The value of the variable {name} is not UTF-8: set it to text in UTF-8.", found);
    }

    [Fact]
    public void Where_the_octets_cannot_be_had_the_replacement_is_the_fault()
    {
        Assert.NotNull(ExactText.FindArgument([Shown], null));
        Assert.Null(ExactText.FindArgument(["caf\u00e9"], null));
        Assert.NotNull(ExactText.FindVariable(new Hashtable { ["OPTIKS_DATA"] = Shown }, null));
        Assert.Null(ExactText.FindVariable(new Hashtable { ["OPTIKS_DATA"] = "caf\u00e9", ["LS_COLORS"] = Shown }, null));
    }

    // Returns the bytes that a text represents: UTF-8, in which "\xe9" represents the byte 0xe9.
    private static byte[] Octets(string text) =>
        [.. text.Split("\\x").SelectMany(
            (part, i) => i == 0 ? Encoding.UTF8.GetBytes(part) : [Convert.ToByte(part[..2], 16), .. Encoding.UTF8.GetBytes(part[2..])])];
}
