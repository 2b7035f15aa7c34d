using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Common.Tests;

/// <summary>
/// Tests the parsing of trust anchors and the verification of the log's signatures, with the vectors of the Python reference
/// (tests/vectors/anchor).
/// </summary>
public sealed class AnchorVectorTests
{
    [Fact]
    public void Configurations()
    {
        int valid = 0;
        foreach (JsonElement vector in Load("configurations"))
        {
            byte[] octets = Hex(vector, "configuration");
            Reason reason = Reason.Valid;
            try
            {
                // Each accepted configuration has exactly one encoding.
                Assert.Equal(octets, Configuration.Decode(octets).Encode());
                valid++;
            }
            catch (EncodingException e)
            {
                reason = e.Reason;
            }
            Assert.True(vector.GetProperty("reason").ValueEquals(reason.Name()), $"{vector.GetProperty("kind")}: {reason.Name()}");
        }
        Assert.NotEqual(0, valid);
    }

    [Fact]
    public void Trust_anchors()
    {
        int valid = 0;
        foreach (JsonElement vector in Load("trust_anchors"))
        {
            Reason reason = Reason.Valid;
            try
            {
                var anchor = TrustAnchor.Parse(Encoding.UTF8.GetBytes(vector.GetProperty("text").GetString()!));
                Assert.Equal(Hex(vector, "log_id"), anchor.LogId.ToArray());
                valid++;
            }
            catch (TrustAnchorException e)
            {
                reason = e.Reason;
            }
            Assert.True(vector.GetProperty("reason").ValueEquals(reason.Name()), $"{vector.GetProperty("kind")}: {reason.Name()}");
        }
        Assert.NotEqual(0, valid);
    }

    [Fact]
    public void Signatures()
    {
        int valid = 0;
        foreach (JsonElement vector in Load("ed25519"))
        {
            bool verifies = Ed25519.Verify(Hex(vector, "public_key"), Hex(vector, "message"), Hex(vector, "signature"));
            Assert.True(vector.GetProperty("verifies").GetBoolean() == verifies, $"{vector.GetProperty("kind")}: {verifies}");
            valid += verifies ? 1 : 0;
        }
        Assert.NotEqual(0, valid);
    }

    private static List<JsonElement> Load(string name)
    {
        using var document = JsonDocument.Parse(
            File.ReadAllBytes(Path.Combine(AppContext.BaseDirectory, "vectors", "anchor", $"{name}.json")));
        List<JsonElement> vectors = [.. document.RootElement.GetProperty("vectors").EnumerateArray().Select(vector => vector.Clone())];
        Assert.NotEmpty(vectors);
        return vectors;
    }

    private static byte[] Hex(JsonElement vector, string name) => Convert.FromHexString(vector.GetProperty(name).GetString()!);
}
