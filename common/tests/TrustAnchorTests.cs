using System.Text;
using Optiks.Native;
using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Common.Tests;

public sealed class TrustAnchorTests
{
    private static readonly byte[] s_configuration = new Configuration { Origin = "example.com/log" }.Encode();
    private static readonly VerifierKey s_key = new("example.com/log", SignatureType.Ed25519, Ed25519.PublicKey(new byte[32]));

    [Fact]
    public void Parses_what_it_writes()
    {
        var anchor = TrustAnchor.Create(s_configuration, s_key);
        var parsed = TrustAnchor.Parse(anchor.ToJson());
        Assert.Equal(anchor.LogId.ToArray(), parsed.LogId.ToArray());
        Assert.Equal(anchor.LogKey, parsed.LogKey);
        Assert.Equal(anchor.Configuration, parsed.Configuration);
    }

    [Fact]
    public void Refuses_a_key_of_another_name()
    {
        var other = new VerifierKey("example.com/other", SignatureType.Ed25519, s_key.PublicKey);
        Assert.Throws<TrustAnchorException>(() => TrustAnchor.Create(s_configuration, other));
    }

    [Theory]
    [InlineData("")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("""{"configuration": "C"}""")]
    [InlineData("""{"configuration": "C", "log_key": 1}""")]
    [InlineData("""{"configuration": "C", "log_key": "K", "more": "x"}""")]
    [InlineData("""{"configuration": "C", "configuration": "C", "log_key": "K"}""")]
    [InlineData("""{"configuration": "C=", "log_key": "K"}""")]
    [InlineData("""{"configuration": "AAAA", "log_key": "K"}""")]
    [InlineData("""{"configuration": "C", "log_key": "example.com/log+00000000+AAAA"}""")]
    [InlineData("""{"configuration": "C", "log_key": "K"} 1""")]
    public void Refuses_other_json(string template)
    {
        string text = template.Replace("\"C", $"\"{Base64UrlText.Encode(s_configuration)}", StringComparison.Ordinal).Replace("\"K\"", $"\"{s_key}\"", StringComparison.Ordinal);
        Assert.Throws<TrustAnchorException>(() => TrustAnchor.Parse(Encoding.UTF8.GetBytes(text)));
    }
}
