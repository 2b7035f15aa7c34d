using System.Text;
using System.Text.Json;
using Optiks.Native;
using Optiks.Protocol;

namespace Optiks.Client.Tests;

/// <summary>Judges pairs of statements about leaves, and expects the Python reference's verdict (docs/spec/broken-append.md).</summary>
public sealed class LeafVectorTests
{
    [Fact]
    public void Statements_get_the_verdict_of_the_reference_and_are_encoded_as_they_were()
    {
        using JsonDocument document = Vectors.Read("leaves/statements.json");
        TrustAnchor[] anchors = [.. document.RootElement.GetProperty("anchors").EnumerateArray()
            .Select(anchor => TrustAnchor.Parse(Encoding.UTF8.GetBytes(anchor.GetProperty("trust_anchor").GetString()!)))];
        var wrong = new List<string>();
        int proven = 0;
        foreach (JsonElement vector in document.RootElement.GetProperty("vectors").EnumerateArray())
        {
            TrustAnchor anchor = anchors[vector.GetProperty("anchor").GetInt32()];
            (byte[] first, byte[] second) = (Vectors.Hex(vector, "first"), Vectors.Hex(vector, "second"));
            Reason reason = LogVerifier.JudgeLeaves(anchor, first, second);
            if (reason.Name() != vector.GetProperty("reason").GetString())
            {
                wrong.Add(
                    $"{vector.GetProperty("kind").GetString()}: {reason.Name()} instead of {vector.GetProperty("reason").GetString()}");
            }
            if (reason is not (Reason.LeafContradicts or Reason.LeafAgrees))
            {
                continue;
            }
            // The client's own quick comparison of two statements must give the same result as the judge.
            (LeafStatement one, LeafStatement other) = (LeafStatement.Decode(first), LeafStatement.Decode(second));
            Assert.Equal(reason == Reason.LeafContradicts, one.Contradicts(other));
            Assert.Equal(one.Contradicts(other), other.Contradicts(one));
            // A statement in the form in which the client stores it lacks only the value, and must give the same verdict.
            Assert.Equal(reason, LogVerifier.JudgeLeaves(anchor, one.Encode(), other.Encode()));
            Assert.True(one.Encode().Length <= LeafStatement.MaxLength);
            Assert.Equal(one.Member is { Kind: MemberKind.Opened }, !first.AsSpan().SequenceEqual(one.Encode()));
            proven += reason == Reason.LeafContradicts ? 1 : 0;
        }
        Assert.Empty(wrong);
        Assert.True(proven >= 20, $"{proven}");
    }
}
