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
        string text = template.Replace("\"C", $"\"{Base64UrlText.Encode(s_configuration)}", StringComparison.Ordinal)
            .Replace("\"K\"", $"\"{s_key}\"", StringComparison.Ordinal);
        Assert.Throws<TrustAnchorException>(() => TrustAnchor.Parse(Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public void Parses_the_policy_that_it_writes()
    {
        TrustAnchor parsed = Parse("""
            "auditors": {"required": 2, "max_lag_ms": 600000, "keys": [{"key": "A1", "first_epoch": 0}, {"key": "A2", "first_epoch": 7}]}, "witnesses": ["# ours", "witness w A3", "quorum w"]
            """);
        Assert.False(parsed.Policy.IsEmpty);
        Assert.True(parsed.Policy.NeedsWitnesses);
        Assert.Equal((2, TimeSpan.FromMinutes(10)), (parsed.Policy.Auditors!.Required, parsed.Policy.Auditors.MaxLag));
        Assert.Equal([new TrustedAuditor(Cosigner(1), 0), new TrustedAuditor(Cosigner(2), 7)], parsed.Policy.Auditors.Auditors);
        Assert.Equal(Cosigner(3), Assert.Single(parsed.Policy.Witnesses!.Witnesses).Key);
        var again = TrustAnchor.Parse(parsed.ToJson());
        Assert.Equal(parsed.ToJson(), again.ToJson());
        Assert.Equal(parsed.LogId.ToArray(), TrustAnchor.Create(s_configuration, s_key).LogId.ToArray());
    }

    [Theory]
    [InlineData("""  "witnesses": ["quorum none"]  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"first_epoch": 0, "key": "A1"}]}  """)]
    public void Takes_a_part_of_a_policy(string members) => Assert.False(Parse(members).Policy.NeedsWitnesses);

    [Theory]
    [InlineData("""  "auditors": []  """)]
    [InlineData("""  "auditors": {"required": 0, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 2, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": []}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 0, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1.0, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1e0, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "keys": [{"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}], "more": 1}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1"}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": -1}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0, "url": "x"}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0, "first_epoch": 0}]}  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "K", "first_epoch": 0}]}  """)]
    [InlineData(
        """  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}, {"key": "A1", "first_epoch": 0}]}  """)]
    [InlineData(
        """  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "A1", "first_epoch": 0}]}, "witnesses": ["witness w A1", "quorum w"]  """)]
    [InlineData("""  "auditors": {"required": 1, "max_lag_ms": 1, "keys": [{"key": "LOG", "first_epoch": 0}]}  """)]
    [InlineData("""  "witnesses": "quorum none"  """)]
    [InlineData("""  "witnesses": []  """)]
    [InlineData("""  "witnesses": [1]  """)]
    [InlineData("""  "witnesses": ["witness w A1"]  """)]
    [InlineData("""  "witnesses": ["quorum none\n"]  """)]
    [InlineData("""  "witnesses": ["witness w LOG", "quorum w"]  """)]
    [InlineData("""  "witnesses": ["log OTHER", "quorum none"]  """)]
    [InlineData("""  "witnesses": ["quorum none", "\ud800"]  """)]
    public void Refuses_other_policies(string members) => Assert.Throws<TrustAnchorException>(() => Parse(members));

    private static VerifierKey Cosigner(byte seed) =>
        new($"cosigner{seed}", SignatureType.CosignatureV1, Ed25519.PublicKey([seed, .. new byte[31]]));

    // Parses a trust anchor with these members, in which some words represent keys. A1, A2, ... are cosigners' keys, LOG is the log's key
    // used as a cosigner's key, and OTHER is another log's key.
    private static TrustAnchor Parse(string members)
    {
        string text = $$"""{"configuration": "{{Base64UrlText.Encode(s_configuration)}}", "log_key": "{{s_key}}", {{members}}}""";
        for (byte i = 1; i <= 3; i++)
        {
            text = text.Replace($"A{i}\"", $"{Cosigner(i)}\"", StringComparison.Ordinal);
        }
        return TrustAnchor.Parse(Encoding.UTF8.GetBytes(text
            .Replace("LOG\"", $"{new VerifierKey("log", SignatureType.CosignatureV1, s_key.PublicKey)}\"", StringComparison.Ordinal)
            .Replace("OTHER\"", $"{new VerifierKey("example.com/other", SignatureType.Ed25519, Ed25519.PublicKey([1, .. new byte[31]]))}\"",
                StringComparison.Ordinal)
            .Replace("\"K\"", $"\"{s_key}\"", StringComparison.Ordinal)));
    }
}
