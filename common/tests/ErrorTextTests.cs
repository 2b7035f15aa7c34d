namespace Optiks.Common.Tests;

/// <summary>Tests that addresses in error messages contain no credentials.</summary>
public sealed class ErrorTextTests
{
    [Theory]
    [InlineData("https://user:s3cret@replica.example", "https://...@replica.example")]
    [InlineData("htps://us/er:s3@cret@replica.example:8301/path", "htps://...@replica.example:8301/path")]
    [InlineData("https://replica.example/?token=s3cret", "https://replica.example/?...")]
    [InlineData("https://replica.example:8301/path", "https://replica.example:8301/path")]
    [InlineData("no address", "no address")]
    public void An_address_is_shown_without_user_and_query(string text, string expected) => Assert.Equal(expected, ErrorText.Address(text));
}
